#pragma once
// Ledger: what every rank put on the wire and what became of it. Bytes are conserved: of every sender, sent +
// retransmitted = delivered + lost.

#include <vector>

namespace sim {

// Of one host. All but received_B count by the sender.
struct Traffic {
  double sent_B = 0.0;           // for the first time
  double retransmitted_B = 0.0;  // again, after a loss
  double delivered_B = 0.0;      // that reached their receiver, or are on their way when the run is cut off
  double lost_B = 0.0;
  double received_B = 0.0;  // of all its senders
  double missed_B = 0.0;    // of all its senders: lost for good on the way to it
};

class Ledger {
 public:
  explicit Ledger(int hosts) : hosts_(static_cast<std::size_t>(hosts)) {}
  const std::vector<Traffic>& hosts() const { return hosts_; }

  void delivered(int from, int to, double bytes) {
    of(from).sent_B += bytes;
    of(from).delivered_B += bytes;
    of(to).received_B += bytes;
  }
  // A transfer has ended; of its bytes `missing` never arrived, and `again` were lost and sent once more.
  void ended(int from, int to, double bytes, double missing, double again) {
    delivered(from, to, bytes - missing);
    of(from).sent_B += missing;
    of(from).retransmitted_B += again;
    of(from).lost_B += missing + again;
    of(to).missed_B += missing;
  }
  void add(const Ledger& other) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      hosts_[i].sent_B += other.hosts_[i].sent_B;
      hosts_[i].retransmitted_B += other.hosts_[i].retransmitted_B;
      hosts_[i].delivered_B += other.hosts_[i].delivered_B;
      hosts_[i].lost_B += other.hosts_[i].lost_B;
      hosts_[i].received_B += other.hosts_[i].received_B;
      hosts_[i].missed_B += other.hosts_[i].missed_B;
    }
  }

 private:
  Traffic& of(int host) { return hosts_[static_cast<std::size_t>(host)]; }
  std::vector<Traffic> hosts_;
};

}  // namespace sim

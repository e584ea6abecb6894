#include "sim/engine/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/base/error.hpp"

namespace sim {

namespace {

constexpr std::size_t most_missing = 8;  // members named in a report
constexpr std::size_t most_calls = 8;    // calls listed of each side

models::Bytes size_of(const models::CollectiveCall& call) {
  return call.element_size * static_cast<double>(call.elements);
}

bool same(const models::CollectiveCall& a, const models::CollectiveCall& b) {
  return a.kind == b.kind && a.elements == b.elements && a.element_size == b.element_size && a.root == b.root &&
         std::strcmp(a.name, b.name) == 0 && std::strcmp(a.algorithm, b.algorithm) == 0;
}

const char* kind_name(models::CollectiveKind kind) {
  return models::collective_kind_names[static_cast<std::size_t>(kind)].data();  // literals end with a zero
}

std::string described(const models::CollectiveCall& call) {
  return std::string(kind_name(call.kind)) + " '" + call.name + "' (" + models::text(size_of(call)) + ")";
}

}  // namespace

Communicator::Communicator(Core& core, Player& player, models::Group group, Completed completed, Started started)
    : core_(core),
      player_(player),
      group_(player.add_group(std::move(group))),
      completed_(std::move(completed)),
      started_(std::move(started)),
      position_(player.group(group_).ranks.size(), 0) {}

Communicator::Joined Communicator::join(int member, const models::CollectiveCall& call) {
  const auto m = static_cast<std::size_t>(member);
  const std::int64_t sequence = position_[m]++;
  const auto place = static_cast<std::size_t>(sequence - front_);
  const double now = core_.now().value;
  if (place == pending_.size()) {
    Pending fresh;
    fresh.call = call;
    fresh.first_member = member;
    fresh.first_joined = now;
    if (!spare_.empty()) {
      fresh.members = std::move(spare_.back());
      spare_.pop_back();
    }
    fresh.members.assign(position_.size(), models::Operation{});
    pending_.push_back(std::move(fresh));
  }
  const models::Operation operation =
      core_.new_operation({kind_name(call.kind), call.name, static_cast<int>(group().ranks[m]), size_of(call),
                           static_cast<const Witness*>(this), static_cast<std::uint64_t>(sequence)});
  Pending& collective = pending_[place];
  if (!same(collective.call, call)) {
    report_disorder(member, call, place);
    return {operation, sequence};
  }
  collective.members[m] = operation;
  collective.last_joined = now;
  ++collective.arrived;
  if (place == 0 && !playing_ && collective.arrived == group().size()) start_front();
  return {operation, sequence};
}

void Communicator::start_front() {
  playing_ = true;
  if (started_) started_(front_, pending_.front().call);
  player_.play(group_, pending_.front().call, *this, static_cast<std::uint64_t>(front_));
}

void Communicator::played(std::uint64_t tag, const Played& result) {
  models::ensure(playing_ && tag == static_cast<std::uint64_t>(front_),
                 "collectives of one communicator end in their order");
  Pending ended = std::move(pending_.front());
  pending_.pop_front();
  const std::int64_t sequence = front_++;
  playing_ = false;
  if (completed_)
    completed_({sequence, ended.call, models::Seconds{ended.first_joined}, models::Seconds{ended.last_joined}, result});
  for (const models::Operation& operation : ended.members) core_.finish(operation);
  spare_.push_back(std::move(ended.members));
  if (!playing_ && !pending_.empty() && pending_.front().arrived == group().size()) start_front();
}

std::string Communicator::detail(std::uint64_t argument) const {
  const auto sequence = static_cast<std::int64_t>(argument);
  if (sequence < front_) return "it has ended";
  const auto place = static_cast<std::size_t>(sequence - front_);
  const Pending& collective = pending_[place];
  std::string text = std::to_string(collective.arrived) + " of " + std::to_string(group().size()) + " members arrived";
  if (collective.arrived == group().size()) {
    if (place == 0) return text;
    return text + ", behind " + described(pending_.front().call);
  }
  text += ", missing: ";
  std::size_t missing = 0;
  for (std::size_t m = 0; m < collective.members.size(); ++m) {
    if (collective.members[m].table != nullptr) continue;
    if (missing < most_missing) text += (missing > 0 ? ", " : "") + std::to_string(static_cast<int>(group().ranks[m]));
    ++missing;
  }
  if (missing > most_missing) text += " and " + std::to_string(missing - most_missing) + " more";
  return text;
}

void Communicator::report_disorder(int member, const models::CollectiveCall& call, std::size_t position) {
  const auto rank_of = [this](int m) {
    return std::to_string(static_cast<int>(group().ranks[static_cast<std::size_t>(m)]));
  };
  const std::size_t first = position >= most_calls ? position - most_calls + 1 : 0;
  std::string before;
  for (std::size_t i = first; i < position; ++i) before += described(pending_[i].call) + ", ";
  core_.stop_deadlocked("ranks call collectives in different orders; from call " +
                        std::to_string(front_ + static_cast<std::int64_t>(first)) + " on\n  rank " +
                        rank_of(pending_[position].first_member) + ": " + before + described(pending_[position].call) +
                        "\n  rank " + rank_of(member) + ": " + before + described(call));
}

}  // namespace sim

#include "topologies/congestion/congestion.hpp"

namespace topologies {

CongestionControl read_mathis(models::Params&);
CongestionControl read_reno(models::Params&);
CongestionControl read_cubic(models::Params&);
CongestionControl read_bbr(models::Params&);
CongestionControl read_linux(models::Params&);
CongestionControl read_linux_reno(models::Params&);

const models::Table<CongestionControl>& congestion_controls() {
  static const models::Row<CongestionControl> rows[] = {
      {"mathis", "Reno without time-outs: 1.22 segments / (RTT sqrt(p)) (Mathis et al., CCR 1997)", read_mathis},
      {"reno", "Reno with time-outs, the full model of PFTK (Padhye et al., SIGCOMM 1998, eq. 32)", read_reno},
      {"cubic", "CUBIC's response function and its Reno-friendly region (RFC 9438, section 5)", read_cubic},
      {"bbr", "BBR: keeps the rate up to a loss of 15 to 20 % (Cardwell et al., ACM Queue 2016)", read_bbr},
      {"linux", "today's Linux TCP: CUBIC with SACK, RACK and tail-loss probes (RFC 9438, RFC 8985)", read_linux},
      {"linux_reno", "today's Linux TCP with Reno's window in place of CUBIC's (RFC 5681, RFC 8985)", read_linux_reno},
  };
  static const models::Table<CongestionControl> table{"congestion control", rows};
  return table;
}

double backed_off(double p) {
  double sum = 1.0, power = p, doubled = 1.0;
  for (int n = 0; n < 6; ++n, power *= p, doubled *= 2.0) sum += doubled * power;
  return sum / (1.0 - p);
}

}  // namespace topologies

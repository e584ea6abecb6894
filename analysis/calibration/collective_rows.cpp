// ai-dynamo/aiconfigurator (Apache-2.0), vTrain (MIT-style, KAIST), microsoft/vidur (MIT), Stas Bekman's ml-engineering
// (CC BY-SA 4.0): tables of NCCL collectives inside one node.
#include <algorithm>
#include <sstream>

#include "analysis/calibration/collectives.hpp"
#include "analysis/calibration/rows.hpp"
#include "models/base/error.hpp"

namespace analysis {
namespace {

using models::Bytes;
using models::Seconds;

constexpr Bytes smallest{1024.0}, largest{1073741824.0};

class Reader {
 public:
  Reader(const CollectiveSplit& split, std::vector<CollectiveRow>& into) : split_(split), into_(into) {}
  void add(const char* set, const char* link, const std::string& kind, int gpus, Bytes size, Seconds measured,
           Bytes element, double links = 1.0) {
    if (size < smallest || size > largest || !(measured > Seconds{})) return;
    const RowUse use = split_.of(set, kind, gpus);
    if (use != RowUse::not_listed) into_.push_back({set, link, kind, gpus, size, measured, element, links, use});
  }

 private:
  const CollectiveSplit& split_;
  std::vector<CollectiveRow>& into_;
};

std::size_t column(const Rows& rows, const std::string& name) {
  const auto found = std::find(rows.columns.begin(), rows.columns.end(), name);
  if (found == rows.columns.end()) throw models::Error({rows.file, 1, 0, {}}, "no column '" + name + "'");
  return static_cast<std::size_t>(found - rows.columns.begin());
}

// message_size counts elements; latency in milliseconds. The size of an all-gather is what a member ends with, of a
// reduce-scatter what it begins with.
void read_aiconfigurator(const std::string& file, const char* set, const char* link, Reader& reader) {
  const Rows rows = read_rows(file);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::string& kind = rows.rows[i][0];
    const double element = rows.rows[i][1] == "half" ? 2.0 : 1.0;
    reader.add(set, link, kind == "alltoall" ? "all_to_all" : kind, static_cast<int>(rows.count(i, 2)),
               Bytes{rows.number(i, 3) * element}, Seconds{rows.number(i, 4) * 1e-3}, Bytes{element});
  }
}

void read_vtrain(const std::string& folder, const char* gpu, const char* set, const char* link,
                 const std::map<int, double>& links, Reader& reader) {
  for (const auto& [gpus, share] : links) {
    const Rows rows = read_rows(folder + "/allreduce_" + gpu + "_" + std::to_string(gpus) + "gpu.csv");
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
      reader.add(set, link, "all_reduce", gpus, Bytes{rows.number(i, 0)}, Seconds{rows.number(i, 3) * 1e-9}, Bytes{4.0},
                 share);
  }
}

void read_vidur(const std::string& file, const char* set, const std::string& kind, Reader& reader) {
  const Rows rows = read_rows(file);
  if (rows.columns.empty()) return;
  const std::size_t time = column(rows, "time_stats." + kind + ".median"), workers = column(rows, "num_workers"),
                    size = column(rows, "size"), local = column(rows, "devices_per_node");
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    if (rows.count(i, workers) == rows.count(i, local))
      reader.add(set, "nvlink_a100", kind, static_cast<int>(rows.count(i, workers)), Bytes{rows.number(i, size)},
                 Seconds{rows.number(i, time) * 1e-3}, Bytes{2.0});
}

// The time of a row is its size over its algorithm bandwidth, which the source rounds to 0.01 GB/s.
void read_ml_engineering(const std::string& file, Reader& reader) {
  const Rows rows = read_rows(file);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::vector<std::string>& cells = rows.rows[i];  // the first cell holds a comma in quotes
    if (cells.size() != 5 || cells[0] != "\"8x A100") continue;
    const double bytes = rows.number(i, 2), rate = rows.number(i, 4) * 1e9;
    reader.add("ml-engineering A100", "nvlink_a100", "all_reduce", 8, Bytes{bytes}, Seconds{bytes / rate}, Bytes{4.0});
  }
}

}  // namespace

CollectiveSplit::CollectiveSplit(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t last = line.rfind(',');
    models::ensure(last != std::string::npos, "a line of the split names its use");
    const std::string use = line.substr(last + 1);
    models::ensure(use == "fit" || use == "held_out", "a use is fit or held_out");
    uses_[line.substr(0, last)] = use == "fit" ? RowUse::fit : RowUse::held_out;
  }
}

RowUse CollectiveSplit::of(const std::string& set, const std::string& kind, int gpus) const {
  const auto found = uses_.find(set + "," + kind + "," + std::to_string(gpus));
  return found == uses_.end() ? RowUse::not_listed : found->second;
}

std::vector<CollectiveRow> read_collectives(const std::string& folder, const CollectiveSplit& split) {
  std::vector<CollectiveRow> rows;
  Reader reader(split, rows);
  read_aiconfigurator(folder + "/aiconfigurator/nccl_a100_sxm.csv", "NCCL 2.27 A100", "nvlink_a100", reader);
  read_aiconfigurator(folder + "/aiconfigurator/nccl_h100_sxm.csv", "NCCL 2.29 H100", "nvlink_h100", reader);
  read_vtrain(folder + "/vtrain", "a100", "vTrain A100", "nvlink_a100_vtrain", {{2, 1.0}, {4, 1.0}, {8, 1.0}}, reader);
  // A DGX-1: GPUs 0 to n - 1 of its cube mesh have 1, 4 and 6 disjoint rings of single NVLinks
  // (topologies/dgx1_v100.yaml; a member has at least that many links to others of its group), the preset all six.
  read_vtrain(folder + "/vtrain", "v100", "vTrain V100", "nvlink_v100", {{2, 1.0 / 6.0}, {4, 4.0 / 6.0}, {8, 1.0}},
              reader);
  read_vidur(folder + "/vidur/send_recv_a100_dgx.csv", "vidur A100", "send_recv", reader);
  read_vidur(folder + "/vidur/all_reduce_a100_dgx.csv", "vidur A100", "all_reduce", reader);
  read_ml_engineering(folder + "/ml_engineering/all_reduce_A.csv", reader);
  return rows;
}

}  // namespace analysis

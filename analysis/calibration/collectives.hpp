#pragma once
// Measured collectives of others beside what the protocols of a link preset predict: fit, hold-out and accuracy. The
// split is by whole kinds and group sizes (collectives_split.csv), never by rows.

#include <map>
#include <string>
#include <vector>

#include "models/collective/protocol.hpp"

namespace analysis {

// The part of a link preset that collectives depend on.
struct LinkModel {
  models::BytesPerSecond bandwidth{};
  double goodput = 1.0;
  models::Seconds latency{};  // of one link; a route is two
  models::Protocols protocols;
};
using LinkModels = std::map<std::string, LinkModel>;  // by preset name

enum class RowUse { fit, held_out, not_listed };
struct CollectiveRow {
  std::string set, link;
  std::string kind;  // of collective_kind_names, or send_recv: one message from one GPU to another
  int gpus = 0;
  models::Bytes size{};
  models::Seconds measured{};
  models::Bytes element{2.0};
  double links = 1.0;  // share of the link preset's bandwidth that the rings of this group have
  RowUse use = RowUse::not_listed;
};

// Lines `set,kind,gpus,use`; `#` starts a comment.
class CollectiveSplit {
 public:
  explicit CollectiveSplit(const std::string& text);
  RowUse of(const std::string& set, const std::string& kind, int gpus) const;

 private:
  std::map<std::string, RowUse> uses_;
};

// Absent files leave their sets out. Throws models::Error on a row that does not read.
std::vector<CollectiveRow> read_collectives(const std::string& folder, const CollectiveSplit& split);

// Time of a collective between GPUs around a switch, nobody else on it: what the simulator plays there.
models::Seconds predicted(const LinkModel& link, const CollectiveRow& row);

// Link presets that some stage fits, in order.
std::vector<std::string> calibrated_links();
// Runs all stages on the rows for the fit.
void fit_links(LinkModels& links, const std::vector<CollectiveRow>& rows);
std::string fitted_keys(const LinkModel& link);  // as the preset's data file has them

struct SizeClass {
  const char* name;
  double above, up_to;  // bytes
};
inline constexpr SizeClass size_classes[] = {{"1 to 64 KiB", 1023.0, 65536.0},
                                             {"64 KiB to 1 MiB", 65536.0, 1048576.0},
                                             {"1 to 16 MiB", 1048576.0, 16777216.0},
                                             {"16 MiB to 1 GiB", 16777216.0, 1073741824.0}};
inline constexpr std::size_t size_class_count = sizeof(size_classes) / sizeof(size_classes[0]);

// Of |predicted / measured - 1|.
struct CollectiveErrors {
  std::size_t rows = 0;
  double mean = 0.0, p90 = 0.0;
};
struct CollectiveLine {
  std::string set, link, kind;
  int gpus = 0;  // 0: all group sizes
  RowUse use = RowUse::fit;
  CollectiveErrors above_64_kib, by_class[size_class_count];
};
// By set, kind, group size and use; then by set and kind over the held-out rows.
std::vector<CollectiveLine> collective_accuracies(const LinkModels& links, const std::vector<CollectiveRow>& rows);
std::string collective_table(const std::vector<CollectiveLine>& lines);  // Markdown

}  // namespace analysis

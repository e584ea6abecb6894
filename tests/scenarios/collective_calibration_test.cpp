#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

#include "models/base/error.hpp"
#include "scenarios/calibration/links.hpp"
#include "scenarios/reader/yaml.hpp"

namespace {

const std::string data_folder = SOURCE_DIR "/../shared/data";

bool absent() {
  if (std::filesystem::exists(data_folder + "/aiconfigurator/nccl_a100_sxm.csv")) return false;
  std::cout << "skipped: no measured data in " << data_folder << '\n';
  return true;
}

const std::vector<analysis::CollectiveLine>& lines() {
  static const std::vector<analysis::CollectiveLine> all = [] {
    const analysis::CollectiveSplit split(
        scenarios::read_text(SOURCE_DIR "/analysis/calibration/collectives_split.csv"));
    return analysis::collective_accuracies(scenarios::preset_links(analysis::calibrated_links()),
                                           analysis::read_collectives(data_folder, split));
  }();
  return all;
}

const analysis::CollectiveLine& line(const std::string& set, const std::string& kind, int gpus) {
  for (const analysis::CollectiveLine& each : lines())
    if (each.set == set && each.kind == kind && each.gpus == gpus) return each;
  throw models::Bug("the accuracy report has the line");
}

}  // namespace

TEST_CASE("collective kinds and group sizes that no fit has read are predicted within 12 % above 64 KiB",
          "[calibration]") {
  if (absent()) return;
  for (const char* set : {"NCCL 2.27 A100", "NCCL 2.29 H100"})
    for (const char* kind : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
      const analysis::CollectiveLine& held_out = line(set, kind, 0);
      INFO(set << ", " << kind << ": mean " << held_out.above_64_kib.mean << ", p90 " << held_out.above_64_kib.p90);
      CHECK(held_out.above_64_kib.rows >= 26);
      CHECK(held_out.above_64_kib.mean < 0.12);
    }
}

TEST_CASE("vTrain's all-reduces of 4 GPUs follow from those of 2 and 8", "[calibration]") {
  if (absent()) return;
  for (const char* set : {"vTrain A100", "vTrain V100"}) {
    const analysis::CollectiveLine& held_out = line(set, "all_reduce", 4);
    CHECK(held_out.use == analysis::RowUse::held_out);
    CHECK(held_out.above_64_kib.rows == 1024);
    CHECK(held_out.above_64_kib.mean < 0.05);
  }
}

TEST_CASE("a split line names a set, a kind and a group size as a whole", "[calibration]") {
  const analysis::CollectiveSplit split("# comment\nset,all_reduce,2,fit\nset,all_reduce,4,held_out\n");
  CHECK(split.of("set", "all_reduce", 2) == analysis::RowUse::fit);
  CHECK(split.of("set", "all_reduce", 4) == analysis::RowUse::held_out);
  CHECK(split.of("set", "all_gather", 2) == analysis::RowUse::not_listed);
  CHECK_THROWS_AS(analysis::CollectiveSplit("set,all_reduce,2,maybe\n"), models::Bug);
}

#include "analysis/calibration/calibrate.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace analysis {
namespace {

using models::Device;

const char* const gemm = "GEMM bf16 (m >= 128)";
const char* const few_rows = "few-row GEMM bf16 (m < 128)";
const char* const attention = "fused attention bf16";
const char* const training = "training step fp16, GPT";
const char* const plain_gemm = "GEMM fp32";
const char* const batched_gemm = "batched GEMM fp32";
const char* const passes = "layer norm and softmax fp32";

struct Stage {
  const char* device;
  std::vector<const char*> sets;
  std::vector<std::string> parameters;
};
// Kernels first, then what whole steps add; overheads of the host come from whole steps only.
const std::vector<Stage>& stages_of(const std::string& chip) {
  static const std::vector<std::string> shape{"tile_256x128", "tile_128x128", "tile_128x64", "tile_64x64",
                                              "fill",         "wave",         "gemm_memory", "launch"};
  static const std::vector<std::string> few{"tile_64x16", "gemm_memory"};
  static const std::vector<std::string> fused{"attention", "attention_fill"};
  static const std::map<std::string, std::vector<Stage>> all{
      {"a100",
       {{"a100_sxm4_80gb", {gemm}, shape},
        {"a100_sxm4_80gb", {few_rows}, few},
        {"a100_sxm4_80gb", {attention}, fused},
        {"a100_sxm4_80gb", {training}, {"dispatch", "unaligned", "elementwise", "step_overhead"}},
        {"a100_pcie_40gb", {plain_gemm, batched_gemm}, {"plain", "plain_fill"}}}},
      {"h100",
       {{"h100_sxm5_80gb", {gemm}, shape},
        {"h100_sxm5_80gb", {few_rows}, few},
        {"h100_sxm5_80gb", {attention}, fused}}},
      {"v100",
       {{"v100_pcie_16gb", {plain_gemm, batched_gemm}, {"plain", "plain_fill"}},
        {"v100_pcie_16gb", {passes}, {"elementwise"}}}},
      {"t4",
       {{"t4_16gb", {plain_gemm, batched_gemm}, {"plain", "plain_fill"}}, {"t4_16gb", {passes}, {"elementwise"}}}},
  };
  return all.at(chip);
}

const std::vector<std::string>& family(const std::string& chip) {
  static const std::map<std::string, std::vector<std::string>> all{
      {"a100", {"a100_sxm4_80gb", "a100_sxm4_40gb", "a100_pcie_40gb", "a100_pcie_80gb"}},
      {"h100", {"h100_sxm5_80gb", "h200_sxm5_141gb"}},
      {"v100", {"v100_pcie_16gb", "v100_sxm2_16gb", "v100_sxm2_32gb"}},
      {"t4", {"t4_16gb"}},
      {"ada", {"l40s_48gb", "rtx_4090_24gb"}}};
  return all.at(chip);
}

// All that is fitted; the datasheet stays.
void take_over(Device& to, const Device& from) {
  const double multiprocessors = to.efficiency.multiprocessors;
  to.efficiency = from.efficiency;
  to.efficiency.multiprocessors = multiprocessors;
  to.launch = from.launch;
  to.dispatch = from.dispatch;
  to.layer_overhead = from.layer_overhead;
  to.step_overhead = from.step_overhead;
}

bool contains(const std::vector<const char*>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<const Measurement*> chosen(const std::vector<Measurement>& rows, const std::string& device,
                                       const std::vector<const char*>& sets, Split split) {
  std::vector<const Measurement*> result;
  for (const Measurement& row : rows)
    if (row.device == device && row.split == split && contains(sets, row.set)) result.push_back(&row);
  return result;
}

// Where a search starts: typical shares of cuBLAS on these chips (NVIDIA, Matrix Multiplication Background User's
// Guide, 2023).
void set_start(Device& device) {
  models::Efficiency start;
  start.multiprocessors = device.efficiency.multiprocessors;
  constexpr double tiles[5] = {0.9, 0.8, 0.55, 0.35, 0.1};
  std::copy(std::begin(tiles), std::end(tiles), std::begin(start.tile));
  start.fill = 150.0;
  start.wave = 0.7;
  start.unaligned = 0.3;
  start.plain = 0.9;
  start.plain_fill = 12.0;
  start.convolution = 0.9;
  start.attention = 0.6;
  start.attention_fill = 200.0;
  start.gemm_memory = start.elementwise = start.optimizer = start.codec =
      0.8;  // of the datasheet, as STREAM-like copies reach on GPUs
  device.efficiency = start;
  device.launch = models::Seconds{3e-6};
  device.dispatch = models::Seconds{4e-5};
  device.layer_overhead = {};
  device.step_overhead = models::Seconds{1e-3};
}

void run_stages(const std::string& chip, Devices& devices, const std::vector<Measurement>& rows) {
  for (const Stage& stage : stages_of(chip)) {
    const std::vector<const Measurement*> used = chosen(rows, stage.device, stage.sets, Split::fitted);
    if (used.empty()) continue;
    const Device result = fitted(devices.at(stage.device), used, stage.parameters);
    for (const std::string& name : family(chip)) take_over(devices.at(name), result);
  }
}

bool is_fitted(const std::string& set, const std::string& device) {
  for (const char* chip : {"a100", "h100", "v100", "t4"})
    for (const Stage& stage : stages_of(chip))
      if (device == stage.device && contains(stage.sets, set)) return true;
  return false;
}

constexpr const char* use_names[] = {"yes", "held out", "no"};

}  // namespace

std::vector<std::string> calibrated_devices() {
  std::vector<std::string> all;
  for (const char* chip : {"a100", "h100", "v100", "t4", "ada"})
    all.insert(all.end(), family(chip).begin(), family(chip).end());
  return all;
}

void calibrate(Devices& devices, const std::vector<Measurement>& rows) {
  const Device& a100 = devices.at("a100_sxm4_80gb");
  for (const std::string& name : family("a100")) set_start(devices.at(name));
  run_stages("a100", devices, rows);
  for (const char* chip : {"h100", "v100", "t4", "ada"})
    for (const std::string& name : family(chip)) take_over(devices.at(name), a100);
  for (const char* chip : {"h100", "v100", "t4"}) run_stages(chip, devices, rows);
}

std::vector<Line> accuracies(const Devices& devices, const std::vector<Measurement>& rows) {
  std::set<std::pair<std::string, std::string>> keys;
  for (const Measurement& row : rows) keys.emplace(row.set, row.device);
  std::vector<Line> lines;
  for (const auto& key : keys) {
    const std::vector<const char*> sets{key.first.c_str()};
    const Device& device = devices.at(key.second);
    const auto used = chosen(rows, key.second, sets, Split::fitted),
               apart = chosen(rows, key.second, sets, Split::held_out);
    const double share = utilisation(used.empty() ? apart : used, device);
    const bool read = is_fitted(key.first, key.second);
    if (!used.empty())
      lines.push_back({key.first, key.second, read ? Use::fitted : Use::unused, accuracy(used, device, share)});
    if (!apart.empty())
      lines.push_back({key.first, key.second, read ? Use::held_out : Use::unused, accuracy(apart, device, share)});
  }
  return lines;
}

std::string accuracy_table(const std::vector<Line>& lines) {
  std::string text =
      "| measured set | device | rows | in the fit | mean error | p90 error | pure FLOPs model, mean "
      "|\n|---|---|--:|---|--:|--:|--:|\n";
  for (const Line& line : lines) {
    const std::string flops =
        line.accuracy.pure_flops_mean > 0 ? fmt::format("{:.1f} %", 100.0 * line.accuracy.pure_flops_mean) : "-";
    text += fmt::format("| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {} |\n", line.set, line.device, line.accuracy.rows,
                        use_names[static_cast<std::size_t>(line.use)], 100.0 * line.accuracy.mean,
                        100.0 * line.accuracy.p90, flops);
  }
  return text;
}

std::string fitted_keys(const Device& device) {
  Device copy = device;
  std::string text;
  for (const char* key : {"launch", "dispatch", "layer_overhead", "step_overhead"})
    text += fmt::format("{}: {:.4g} us\n", key, parameter(key).of(copy) * 1e6);
  text += fmt::format("efficiency:\n  multiprocessors: {:.4g}\n", device.efficiency.multiprocessors);
  for (const char* key :
       {"tile_256x128", "tile_128x128", "tile_128x64", "tile_64x64", "tile_64x16", "fill", "wave", "unaligned", "plain",
        "plain_fill", "convolution", "attention", "attention_fill", "gemm_memory", "elementwise", "optimizer", "codec"})
    text += fmt::format("  {}: {:.4g}\n", key, parameter(key).of(copy));
  return text;
}

}  // namespace analysis

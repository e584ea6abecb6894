#include <array>
#include <string>
#include <string_view>

#include "models/base/params.hpp"
#include "models/device/cost_model.hpp"

namespace models {
namespace {

constexpr Range share{0.0, 1.0, Range::Ends::open_low};

// Reads numbers and lists each as a constant of the result, with the source written for it.
class Constants {
 public:
  Constants(Params& params, Device& device)
      : device_(device), sources_(params.section("sources", "where single numbers come from, by key")) {
    source_ = params.text("source", "where the numbers come from");
    fitted_on_ = params.text("fitted_on", "data that the efficiencies and overheads were fitted on", "");
  }

  double fitted(double value, std::string_view key, std::string_view unit) {
    note(value, key, unit, fitted_on_);
    return value;
  }
  template <class Amount>
  Amount fitted(Amount amount, std::string_view key, std::string_view unit) {
    note(amount.value, key, unit, fitted_on_);
    return amount;
  }
  template <class Amount>
  Amount datasheet(Amount amount, std::string_view key, std::string_view unit) {
    note(amount.value, key, unit, {});
    return amount;
  }

 private:
  void note(double value, std::string_view key, std::string_view unit, const std::string& fitted_on) {
    const std::string source = sources_.text(key, "source of this number", source_);
    device_.constants.push_back({"device." + std::string(key), value, std::string(unit), source, fitted_on});
  }

  Device& device_;
  Params sources_;
  std::string source_, fitted_on_;
};

void read_efficiency(Params params, Constants& constants, Efficiency& efficiency) {
  const auto number = [&](std::string_view key, Range range, double fallback, std::string_view help) {
    return constants.fitted(params.number(key, range, help, fallback), key, "1");
  };
  efficiency.multiprocessors = number("multiprocessors", positive, 80.0, "streaming multiprocessors");
  efficiency.tile[0] = number("tile_256x128", share, 0.85, "share of peak of a full wave of 256 x 128 GEMM tiles");
  efficiency.tile[1] = number("tile_128x128", share, 0.75, "share of peak of a full wave of 128 x 128 GEMM tiles");
  efficiency.tile[2] = number("tile_128x64", share, 0.6, "share of peak of a full wave of 128 x 64 GEMM tiles");
  efficiency.tile[3] = number("tile_64x64", share, 0.4, "share of peak of a full wave of 64 x 64 GEMM tiles");
  efficiency.tile[4] = number("tile_64x16", share, 0.1, "share of peak of a full wave of 64 x 16 GEMM tiles");
  efficiency.fill =
      number("fill", not_negative, 128.0, "elements of the inner loop lost to start and end of a GEMM tile");
  efficiency.wave = number("wave", {0.0, 1.0}, 0.5, "share of a part-filled wave's idle time that is paid");
  efficiency.unaligned =
      number("unaligned", share, 0.5, "factor on tensor cores when a dimension is no multiple of 16 bytes");
  efficiency.plain = number("plain", share, 0.9, "share of peak of fp32 kernels, which do not use tensor cores");
  efficiency.plain_fill = number("plain_fill", not_negative, 12.0, "fill of fp32 kernels");
  efficiency.convolution =
      number("convolution", {0.0, 2.0, Range::Ends::open_low}, 0.9, "factor on convolutions against the equal GEMM");
  efficiency.attention = number("attention", share, 0.6, "share of peak of fused attention on long sequences");
  efficiency.attention_fill =
      number("attention_fill", not_negative, 256.0, "sequence length at which fused attention reaches half of that");
  efficiency.gemm_memory = number("gemm_memory", share, 0.8, "share of the memory bandwidth of GEMMs and attention");
  efficiency.elementwise = number("elementwise", share, 0.8, "share of the memory bandwidth of element-wise kernels");
  efficiency.optimizer = number("optimizer", share, 0.8, "share of the memory bandwidth of optimizer kernels");
  efficiency.codec = number("codec", share, 0.8, "share of the memory bandwidth of compressor kernels");
}

}  // namespace

Bytes element_size(Precision precision) {
  return precision == Precision::fp16 || precision == Precision::bf16 ? 2_B : 4_B;
}

Device read_device(Params& params) {
  Device device;
  device.name = params.text("name", "name shown in results", "custom device");
  Constants constants(params, device);
  device.memory =
      constants.datasheet(params.bytes("memory", positive, "device memory as the driver shows it"), "memory", "B");
  device.memory_bandwidth = constants.datasheet(params.bandwidth("memory_bandwidth", positive, "peak memory bandwidth"),
                                                "memory_bandwidth", "B/s");
  Params peak = params.section(
      "peak", "dense peak arithmetic rate by precision; a precision left out does not exist on the device");
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string key = "peak_" + std::string(precision_names[i]);
    device.peak[i] = peak.flop_rate(precision_names[i], not_negative, "dense peak", FlopsPerSecond{});
    if (device.peak[i].value > 0) constants.datasheet(device.peak[i], key, "flop/s");
  }
  device.launch = constants.fitted(
      params.seconds("launch", not_negative, "start and end of a kernel on the device", 3_us), "launch", "s");
  device.dispatch = constants.fitted(
      params.seconds("dispatch", not_negative,
                     "host and framework per operation of a pass; hidden while the device is busier", 10_us),
      "dispatch", "s");
  device.layer_overhead =
      constants.fitted(params.seconds("layer_overhead", not_negative, "never hidden, per layer and pass", Seconds{}),
                       "layer_overhead", "s");
  device.step_overhead = constants.fitted(
      params.seconds("step_overhead", not_negative, "host and framework per step", Seconds{}), "step_overhead", "s");
  device.overlap_slowdown =
      params.number("overlap_slowdown", {1.0, 10.0}, "factor on compute while communication runs", 1.0);
  read_efficiency(params.section("efficiency", "shares of the datasheet rates that kernels reach"), constants,
                  device.efficiency);
  return device;
}

}  // namespace models

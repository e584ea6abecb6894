#pragma once
// Measured times of others, each with the same thing as this program predicts it. The data lie outside the repository,
// one folder per source.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/device/cost_model.hpp"

namespace analysis {

enum class Split { fitted, held_out };

struct Measurement {
  std::string set;     // row of the accuracy report: "GEMM bf16"
  std::string device;  // preset name
  Split split = Split::fitted;
  models::Seconds measured{};
  std::function<models::Seconds(const models::Device&)> predicted;
  models::Flops flops{};  // for the model that knows nothing else
  models::Precision precision = models::Precision::fp16;
};

// Sizes kept away from the fit: `set,size` a line, `#` starts a comment. A size is a whole model, dimension or device,
// never a row.
class HeldOut {
 public:
  explicit HeldOut(const std::string& text);
  Split of(const std::string& set, const std::string& size) const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

// All sets under `folder`; a file that is absent leaves its set out. Throws models::Error on a row that does not read.
std::vector<Measurement> read_measurements(const std::string& folder, const HeldOut& held_out);

// The parts, one per source.
void read_aiconfigurator(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into);
void read_vtrain(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into);
void read_neusight(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into);
void read_nvidia_dle(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into);

}  // namespace analysis

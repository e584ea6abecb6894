// GEMM and prefill attention of vLLM 0.14 on A100 and H100: ai-dynamo/aiconfigurator, Apache-2.0.
#include "analysis/calibration/measurement.hpp"
#include "analysis/calibration/rows.hpp"
#include "models/architecture/kernels.hpp"

namespace analysis {
namespace {

using models::Device;
using models::Kernel;
using models::Precision;
using models::Seconds;

Measurement of_kernel(const char* set, const char* device, double milliseconds, const Kernel& kernel) {
  Measurement result;
  result.set = set;
  result.device = device;
  result.measured = Seconds{milliseconds * 1e-3};
  result.predicted = [kernel](const Device& on) { return models::roofline(kernel, on); };
  result.flops = kernel.flops;
  result.precision = kernel.precision;
  return result;
}

void read_gemm(const std::string& file, const char* device, const HeldOut& held_out, std::vector<Measurement>& into) {
  const Rows rows = read_rows(file);
  const std::size_t first = rows.columns.size() == 5 ? 1 : 0;  // H100: the data type comes first
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (first == 1 && rows.rows[i][0] != "bfloat16") continue;
    const std::int64_t m = rows.count(i, first), n = rows.count(i, first + 1), k = rows.count(i, first + 2);
    const char* set =
        m < 128 ? "few-row GEMM bf16 (m < 128)" : "GEMM bf16 (m >= 128)";  // decoding; training and prefill
    Measurement row = of_kernel(set, device, rows.number(i, first + 3), models::gemm("gemm", m, n, k, Precision::bf16));
    if (held_out.of("gemm", std::to_string(n)) == Split::held_out ||
        held_out.of("gemm", std::to_string(k)) == Split::held_out)
      row.split = Split::held_out;
    into.push_back(std::move(row));
  }
}

void read_attention(const std::string& file, const char* device, const HeldOut& held_out,
                    std::vector<Measurement>& into) {
  constexpr std::int64_t head_dim = 128;  // of the whole table
  const Rows rows = read_rows(file);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::int64_t sequence = rows.count(i, 1), heads = rows.count(i, 2);
    if (sequence < 128) continue;  // training sequences are longer
    const models::AttentionShape shape{rows.count(i, 0),     sequence,       heads, rows.count(i, 3), head_dim,
                                       models::Mask::causal, Precision::bf16};
    const Kernel kernel = models::fused_attention("attention", shape, models::AttentionPass::forward);
    Measurement row = of_kernel("fused attention bf16", device, rows.number(i, 4), kernel);
    row.split = held_out.of("attention", std::to_string(heads) + " heads");
    into.push_back(std::move(row));
  }
}

}  // namespace

void read_aiconfigurator(const std::string& folder, const HeldOut& held_out, std::vector<Measurement>& into) {
  const std::string base = folder + "/aiconfigurator/";
  read_gemm(base + "gemm_vllm_a100_sxm.csv", "a100_sxm4_80gb", held_out, into);
  read_gemm(base + "gemm_vllm_h100_sxm.csv", "h100_sxm5_80gb", held_out, into);
  read_attention(base + "context_attention_vllm_a100_sxm.csv", "a100_sxm4_80gb", held_out, into);
  read_attention(base + "context_attention_vllm_h100_sxm.csv", "h100_sxm5_80gb", held_out, into);
}

}  // namespace analysis

#pragma once
// Two-sided compressed average: see the .cpp.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "models/compression/scale.hpp"
#include "models/exchange/chunks.hpp"
#include "models/exchange/error_feedback.hpp"
#include "models/exchange/exchange.hpp"

namespace models {

// How the codec's arithmetic is cut into kernels: one pass over memory each, or one kernel per tensor operation as
// DeepSpeed's PyTorch code runs it.
enum class CodecKernels : std::size_t { fused, unfused };
inline constexpr std::string_view codec_kernels_names[] = {"fused", "unfused"};

struct TwoSidedOptions {
  SignScale scale = SignScale::l2;
  CodecKernels kernels = CodecKernels::fused;
  ErrorFeedback error_feedback = ErrorFeedback::both;
  std::optional<BytesPerSecond> host_staging;  // codes cross the host's memory, copied at this rate
};

class TwoSidedCompressed final : public Exchange {
 public:
  TwoSidedCompressed(const TwoSidedOptions& options, const ExchangeWorld& world);

  // A group of one keeps its vector as it is.
  Task average(Worker& self, std::int64_t full_elements, std::span<float> inout) override;
  std::vector<Buffer> buffers(std::int64_t full_elements, const Group& group) const override;
  Bytes wire_bytes(std::int64_t full_elements, const Group& group) const override;

  // What this worker (padding included), and this rank as a server of its chunk, still owe.
  std::span<const float> worker_residual() const { return worker_residual_; }
  std::span<const float> server_residual() const { return server_residual_; }

 private:
  Operation staged(Worker& self, double bytes) const;
  void encode(std::span<const float> values);
  void serve();
  void decode(std::span<float> values) const;
  std::span<std::byte> part(std::vector<std::byte>& parts, std::size_t rank) const;
  std::span<const std::byte> part(const std::vector<std::byte>& parts, std::size_t rank) const;

  TwoSidedOptions options_;
  Chunks chunks_;
  std::size_t part_size_ = 0;                              // bytes of signs of the longest chunk
  std::vector<float> worker_residual_, server_residual_;   // e_w, e_s
  std::vector<float> sum_;                                 // of the workers' chunks
  std::vector<std::byte> outgoing_, incoming_, gathered_;  // one part per rank
  std::vector<std::byte> served_;                          // the signs of this rank's chunk
  std::array<float, 1> worker_scale_{}, server_scale_{};   // s_w, s_s
  std::vector<float> worker_scales_, server_scales_;       // of all ranks
};

}  // namespace models

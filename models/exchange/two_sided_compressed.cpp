// The average of a vector as signs and scales: workers send the signs of their chunks to the rank that serves them,
// servers send the signs of the average to all, and what a code misses is added to the next vector, on both sides. Tang
// et al.: 1-bit Adam, ICML 2021, section 4 (compressed_allreduce); padding and order of the messages as in DeepSpeed's
// NCCL backend.

#include "models/exchange/two_sided_compressed.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/params.hpp"
#include "models/kernel/descent.hpp"
#include "models/kernel/signs.hpp"

namespace models {
namespace {

constexpr int most_direct_ranks =
    2048;  // beyond, n (n - 1) messages at once are beyond any network: in rounds, as NCCL

// Memory traffic of the codec in bytes: worker side and decoding per element of the padded vector, serving per element
// of it and of the own chunk.
struct Traffic {
  double encode, serve_all, serve_chunk, decode;
};
// u = m + e_w for the scale (8 bytes an element read); then u read again, e_w and the signs written. Serving reads the
// signs of all ranks; the sum is written and read, e_s read and written, for the scale read again, the signs written.
constexpr Traffic fused{16.125, 0.125, 20.125, 4.125};
// Counted operation by operation (4-byte floats, 1-byte booleans) in deepspeed/runtime/comm/nccl.py,
// compressed_allreduce: adding the residual 12, the norm 4, the new residual 62 (sign, +1, to bool, to float, -0.5, x2,
// x scale, difference), the sign again as booleans 21, packing and stacking 1.375; serving unpacks all ranks' signs to
// bytes 1.125, to float 5, -0.5, x2 and x scale 24, sums 4, then does the same as a worker on its chunk; decoding as
// serving without the sum, and a copy 8.
constexpr Traffic unfused{100.375, 34.125, 104.125, 38.125};
Traffic traffic(CodecKernels kernels) { return kernels == CodecKernels::fused ? fused : unfused; }

Kernel codec(const char* name, double bytes) {
  return {.name = name, .kind = KernelKind::codec, .bytes = Bytes{bytes}};
}

}  // namespace

TwoSidedCompressed::TwoSidedCompressed(const TwoSidedOptions& options, const ExchangeWorld& world) : options_(options) {
  if (world.numeric_elements == 0 || world.ranks == 1) return;
  const auto ranks = static_cast<std::size_t>(world.ranks);
  chunks_ = numeric_chunks(world.numeric_elements, world.full_elements, world.ranks, world.chunking);
  for (const ElementRange& range : chunks_.ranges)
    part_size_ = std::max(part_size_, static_cast<std::size_t>((range.count + 7) / 8));
  worker_residual_.resize(static_cast<std::size_t>(chunks_.total));
  for (std::vector<std::byte>* parts : {&outgoing_, &incoming_, &gathered_}) parts->resize(ranks * part_size_);
  served_.resize(part_size_);
  worker_scales_.resize(ranks);
  server_scales_.resize(ranks);
}

// Copies between device and pageable host memory, counted in deepspeed/runtime/comm/mpi.py (gather_host,
// allgather_host), in units of the packed signs of the whole vector: out all chunks; in what was received and, once
// more, what was sent; out the own average and the empty buffer for all; in both.
Operation TwoSidedCompressed::staged(Worker& self, double bytes) const {
  Kernel copy{.name = "host staging", .kind = KernelKind::codec};
  if (options_.host_staging) copy.fixed = Bytes{bytes} / *options_.host_staging;
  return self.compute(copy);
}

Task TwoSidedCompressed::average(Worker& self, std::int64_t full_elements, std::span<float> inout) {
  const int ranks = self.group().size();
  if (ranks == 1) co_return;
  const std::int64_t padded = padded_elements(full_elements, ranks);
  const double n = static_cast<double>(ranks), size = static_cast<double>(padded);
  const bool numbers = !inout.empty();
  if (numbers && server_residual_.empty()) {  // one rank is the server of one chunk
    server_residual_.resize(static_cast<std::size_t>(chunks_.ranges[static_cast<std::size_t>(self.member())].count));
    sum_.resize(server_residual_.size());
  }

  const Traffic moved = traffic(options_.kernels);
  const Kernel encode_kernel = codec("compress", moved.encode * size);
  Operation encoded = self.compute(encode_kernel, numbers ? Work([this, inout] { encode(inout); }) : Work{});
  co_await encoded;
  const bool staging = options_.host_staging.has_value();
  const double signs = size / 8.0;
  if (staging) {
    Operation out = staged(self, signs);
    co_await out;
  }

  const CollectiveCall chunks_call{.name = "sign chunks",
                                   .kind = CollectiveKind::all_to_all,
                                   .elements = padded / 8 * ranks,
                                   .element_size = Bytes{1.0}};
  const CollectiveCall scales_call{.name = "scales",
                                   .kind = CollectiveKind::all_gather,
                                   .elements = ranks,
                                   .element_size = Bytes{4.0},
                                   .algorithm = ranks <= most_direct_ranks ? "direct" : "ring"};
  const Operation to_servers[] = {
      self.all_to_all(chunks_call, outgoing_, incoming_),
      self.all_gather(scales_call,
                      std::as_bytes(numbers ? std::span<const float>(worker_scale_) : std::span<const float>()),
                      std::as_writable_bytes(std::span(worker_scales_)))};
  Operation arrived = self.all(to_servers);
  co_await arrived;
  if (staging) {
    Operation in = staged(self, 2.0 * signs);
    co_await in;
  }

  const Kernel serve_kernel = codec("average chunk", moved.serve_all * size + moved.serve_chunk * size / n);
  Operation averaged = self.compute(serve_kernel, numbers ? Work([this] { serve(); }) : Work{});
  co_await averaged;
  if (staging) {
    Operation out = staged(self, signs / n + signs);
    co_await out;
  }

  const CollectiveCall gather_call{
      .name = "averaged signs", .kind = CollectiveKind::all_gather, .elements = padded / 8, .element_size = Bytes{1.0}};
  const Operation to_workers[] = {
      self.all_gather(gather_call, served_, gathered_),
      self.all_gather(scales_call,
                      std::as_bytes(numbers ? std::span<const float>(server_scale_) : std::span<const float>()),
                      std::as_writable_bytes(std::span(server_scales_)))};
  Operation gathered = self.all(to_workers);
  co_await gathered;
  if (staging) {
    Operation in = staged(self, signs / n + signs);
    co_await in;
  }

  const Kernel decode_kernel = codec("decompress", moved.decode * size);
  Operation decoded = self.compute(decode_kernel, numbers ? Work([this, inout] { decode(inout); }) : Work{});
  co_await decoded;
}

std::span<std::byte> TwoSidedCompressed::part(std::vector<std::byte>& parts, std::size_t rank) const {
  return std::span(parts).subspan(rank * part_size_, part_size_);
}
std::span<const std::byte> TwoSidedCompressed::part(const std::vector<std::byte>& parts, std::size_t rank) const {
  return std::span(parts).subspan(rank * part_size_, part_size_);
}

// u = pad(m) + e_w; s_w from all of u, padding included; e_w = u - s_w sign(u).
void TwoSidedCompressed::encode(std::span<const float> values) {
  if (options_.error_feedback == ErrorFeedback::none) std::fill(worker_residual_.begin(), worker_residual_.end(), 0.0f);
  add_to(std::span(worker_residual_).first(values.size()), values);
  worker_scale_[0] = sign_scale(options_.scale, worker_residual_, chunks_.total);
  for (std::size_t c = 0; c < chunks_.ranges.size(); ++c) {
    const ElementRange range = chunks_.ranges[c];
    const auto chunk = std::span(worker_residual_)
                           .subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.count));
    pack_signs_keep_residual(chunk, worker_scale_[0], part(outgoing_, c));
  }
}

// a = (1/n) sum_i s_w,i sign_i + e_s; e_s = a - s_s sign(a).
void TwoSidedCompressed::serve() {
  std::fill(sum_.begin(), sum_.end(), 0.0f);
  for (std::size_t i = 0; i < worker_scales_.size(); ++i)
    add_signs(part(std::as_const(incoming_), i), worker_scales_[i], sum_);
  const float share = static_cast<float>(1.0 / static_cast<double>(worker_scales_.size()));
  const float kept = options_.error_feedback == ErrorFeedback::both ? 1.0f : 0.0f;
  blend(server_residual_, sum_, kept, share);
  server_scale_[0] = sign_scale(options_.scale, server_residual_, static_cast<std::int64_t>(server_residual_.size()));
  pack_signs_keep_residual(server_residual_, server_scale_[0], served_);
}

void TwoSidedCompressed::decode(std::span<float> values) const {
  const auto size = static_cast<std::int64_t>(values.size());
  for (std::size_t c = 0; c < chunks_.ranges.size(); ++c) {
    const std::int64_t begin = std::min(chunks_.ranges[c].begin, size),
                       end = std::min(chunks_.ranges[c].begin + chunks_.ranges[c].count, size);
    const auto chunk = values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    unpack_signs(part(gathered_, c), server_scales_[c], chunk);
  }
}

std::vector<Buffer> TwoSidedCompressed::buffers(std::int64_t full_elements, const Group& group) const {
  if (group.size() == 1) return {};
  const double size = static_cast<double>(padded_elements(full_elements, group.size()));
  std::vector<Buffer> buffers;
  if (options_.error_feedback != ErrorFeedback::none)
    buffers.push_back({MemoryCategory::error_feedback, Bytes{4.0 * size}, Lifetime::run});
  if (options_.error_feedback == ErrorFeedback::both)
    buffers.push_back(
        {MemoryCategory::error_feedback, Bytes{4.0 * size / static_cast<double>(group.size())}, Lifetime::run});
  // Signs out, in, and of all averaged chunks.
  buffers.push_back({MemoryCategory::communication_buffers, Bytes{3.0 * size / 8.0}, Lifetime::exchange});
  return buffers;
}

Bytes TwoSidedCompressed::wire_bytes(std::int64_t full_elements, const Group& group) const {
  const std::int64_t n = group.size();
  const std::int64_t chunk = padded_elements(full_elements, group.size()) / (8 * n);
  return Bytes{static_cast<double>(2 * (n - 1) * (chunk + 4))};
}

ExchangeMaker read_two_sided_compressed(Params& params) {
  TwoSidedOptions options;
  options.scale = read_sign_scale(params);
  options.error_feedback = static_cast<ErrorFeedback>(params.choice("error_feedback", error_feedback_names,
                                                                    "who adds what its code missed to the next vector",
                                                                    static_cast<std::size_t>(ErrorFeedback::both)));
  options.kernels = static_cast<CodecKernels>(params.choice("codec_kernels", codec_kernels_names,
                                                            "fused: one pass over memory a stage; unfused: one kernel "
                                                            "per tensor operation, as DeepSpeed's PyTorch code runs it",
                                                            static_cast<std::size_t>(CodecKernels::fused)));
  if (params.has("host_staging"))
    options.host_staging =
        params.bandwidth("host_staging", positive,
                         "rate of copies between device and pageable host memory, which codes take both ways in "
                         "DeepSpeed's MPI backend without CUDA-aware MPI; absent: codes go from device to device");
  if (params.describing()) options.host_staging.reset();
  return [options](const ExchangeWorld& world) { return std::make_unique<TwoSidedCompressed>(options, world); };
}

}  // namespace models

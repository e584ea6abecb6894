// The average of a vector through servers, compressed on both ways: every rank serves one chunk, workers send their
// codes of it there, servers send the code of the average to all, and what a code missed is added to the next vector on
// both sides. Tang, Yu, Lian, Zhang, Liu: DoubleSqueeze, ICML 2019, algorithm 1, its server sharded over the ranks.

#include "models/exchange/compressed_shards.hpp"

#include <algorithm>
#include <cstring>

#include "models/base/error.hpp"
#include "models/base/params.hpp"

namespace models {

CompressedShards::CompressedShards(const ShardOptions& options, const ExchangeWorld& world)
    : options_(options), compressor_(options.compressor()) {
  if (world.numeric_elements == 0 || world.ranks == 1) return;
  const auto ranks = static_cast<std::size_t>(world.ranks);
  const Errors::Kept kept = options.error_feedback == ErrorFeedback::none ? Errors::Kept::none : options.history;
  for (int c = 0; c < world.ranks; ++c) {
    const ElementRange range = slice(world.numeric_elements, world.ranks, c);
    chunks_.push_back(range);
    worker_.emplace_back(kept, static_cast<std::size_t>(range.count));
    part_size_ = std::max(part_size_, static_cast<std::size_t>(compressor_->wire_size(range.count).value().value));
  }
  for (std::vector<std::byte>* parts : {&outgoing_, &incoming_, &gathered_}) parts->resize(ranks * part_size_);
  served_.resize(part_size_);
}

Encoded CompressedShards::code_in(const std::vector<std::byte>& parts, std::size_t part, std::size_t chunk) const {
  const std::int64_t count = chunks_[chunk].count;
  const auto size = static_cast<std::ptrdiff_t>(compressor_->wire_size(count).value().value);
  const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(part * part_size_);
  return {std::vector<std::byte>(begin, begin + size), count};
}

// v_i = g_i + d_i; q_i = C(v_i); d_i = v_i - q_i, chunk by chunk.
void CompressedShards::encode(std::span<const float> values, const Worker& self) {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const auto chunk =
        values.subspan(static_cast<std::size_t>(chunks_[c].begin), static_cast<std::size_t>(chunks_[c].count));
    const Encoded code = worker_[c].encode(*compressor_, chunk, compensation_,
                                           self.stream(Purpose::dither, calls_, static_cast<std::int64_t>(c) + 1));
    std::copy(code.bytes.begin(), code.bytes.end(), outgoing_.begin() + static_cast<std::ptrdiff_t>(c * part_size_));
  }
}

// v = (1/n) sum_i q_i + d; q = C(v); d = v - q.
void CompressedShards::serve(const Worker& self) {
  std::fill(sum_.begin(), sum_.end(), 0.0f);
  const float share = 1.0f / static_cast<float>(chunks_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    compressor_->decode(code_in(incoming_, i, own_), decoded_);
    blend(sum_, decoded_, 1.0f, share);
  }
  const Encoded code = server_->encode(*compressor_, sum_, compensation_, self.stream(Purpose::dither, calls_, 0));
  std::copy(code.bytes.begin(), code.bytes.end(), served_.begin());
}

void CompressedShards::decode(std::span<float> values) {
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    compressor_->decode(code_in(gathered_, c, c), values.subspan(static_cast<std::size_t>(chunks_[c].begin),
                                                                 static_cast<std::size_t>(chunks_[c].count)));
}

// The longest chunk's code: all parts are sent alike.
Bytes CompressedShards::part_bytes(std::int64_t full_elements, int ranks) const {
  return compressor_->wire_size(slice(full_elements, ranks, 0).count).value();
}

Task CompressedShards::average(Worker& self, std::int64_t full_elements, std::span<float> inout) {
  const int ranks = self.group().size();
  if (ranks == 1) co_return;
  const bool numbers = !inout.empty();
  if (numbers && !server_) {
    own_ = static_cast<std::size_t>(self.member());
    sum_.resize(static_cast<std::size_t>(chunks_[own_].count));
    decoded_.resize(sum_.size());
    server_.emplace(options_.error_feedback == ErrorFeedback::both ? options_.history : Errors::Kept::none,
                    sum_.size());
  }
  const std::int64_t chunk = slice(full_elements, ranks, 0).count;
  const auto part = static_cast<std::int64_t>(part_bytes(full_elements, ranks).value);
  // Feedback reads the error and the code's image and writes the error: 12 bytes an element.
  const double worker_feedback = options_.error_feedback == ErrorFeedback::none ? 0.0 : 12.0,
               server_feedback = options_.error_feedback == ErrorFeedback::both ? 12.0 : 0.0;

  Kernel encode_kernel = compressor_->encode_work(full_elements);
  encode_kernel.bytes = encode_kernel.bytes + Bytes{worker_feedback * static_cast<double>(full_elements)};
  Operation encoded =
      self.compute(encode_kernel, numbers ? Work([this, inout, &self] { encode(inout, self); }) : Work{});
  co_await encoded;

  const CollectiveCall push{.name = "compressed chunks",
                            .kind = CollectiveKind::all_to_all,
                            .elements = part * ranks * ranks,
                            .element_size = Bytes{1.0}};
  Operation pushed = self.all_to_all(push, outgoing_, incoming_);
  co_await pushed;

  Kernel serve_kernel = compressor_->encode_work(chunk);
  serve_kernel.name = "serve";
  serve_kernel.bytes = serve_kernel.bytes + Bytes{server_feedback * static_cast<double>(chunk)} +
                       static_cast<double>(ranks) * compressor_->decode_work(chunk).bytes;
  Operation answered = self.compute(serve_kernel, numbers ? Work([this, &self] { serve(self); }) : Work{});
  co_await answered;

  const CollectiveCall pull{.name = "compressed average",
                            .kind = CollectiveKind::all_gather,
                            .elements = part * ranks,
                            .element_size = Bytes{1.0}};
  Operation pulled = self.all_gather(pull, served_, gathered_);
  co_await pulled;

  const Kernel decode_kernel = compressor_->decode_work(full_elements);
  Operation decoded = self.compute(decode_kernel, numbers ? Work([this, inout] { decode(inout); }) : Work{});
  co_await decoded;
  calls_ += 1;
}

std::vector<Buffer> CompressedShards::buffers(std::int64_t full_elements, const Group& group) const {
  if (group.size() == 1) return {};
  const double size = 4.0 * static_cast<double>(full_elements), n = static_cast<double>(group.size());
  const double held = options_.history == Errors::Kept::last_two ? 2.0 : 1.0;
  std::vector<Buffer> buffers;
  if (options_.error_feedback != ErrorFeedback::none)
    buffers.push_back({MemoryCategory::error_feedback, Bytes{held * size}, Lifetime::run});
  if (options_.error_feedback == ErrorFeedback::both)
    buffers.push_back({MemoryCategory::error_feedback, Bytes{held * size / n}, Lifetime::run});
  // Codes out, in, and of all averaged chunks.
  buffers.push_back(
      {MemoryCategory::communication_buffers, 3.0 * n * part_bytes(full_elements, group.size()), Lifetime::exchange});
  return buffers;
}

Bytes CompressedShards::wire_bytes(std::int64_t full_elements, const Group& group) const {
  const int n = group.size();
  return 2.0 * static_cast<double>(n - 1) * part_bytes(full_elements, n);
}

ShardOptions read_shard_options(Params& params) {
  ShardOptions options;
  options.compressor = params.plugin("compressor", compressors(), "codes of both ways", "one_bit");
  options.error_feedback = static_cast<ErrorFeedback>(params.choice("error_feedback", error_feedback_names,
                                                                    "who adds what its code missed to the next vector",
                                                                    static_cast<std::size_t>(ErrorFeedback::both)));
  return options;
}

ExchangeMaker read_compressed_shards(Params& params) {
  return [options = read_shard_options(params)](const ExchangeWorld& world) {
    return std::make_unique<CompressedShards>(options, world);
  };
}

}  // namespace models

#pragma once
// Two-pass compressed average: see the .cpp.

#include <memory>
#include <vector>

#include "models/exchange/error_feedback.hpp"
#include "models/exchange/exchange.hpp"

namespace models {

class Params;

struct ShardOptions {
  CompressorMaker compressor;
  ErrorFeedback error_feedback = ErrorFeedback::both;
  Errors::Kept history = Errors::Kept::last;  // errors that a side with feedback keeps
};

class CompressedShards final : public Exchange {
 public:
  CompressedShards(const ShardOptions& options, const ExchangeWorld& world);

  // How much of the kept errors the next call adds, on both sides; plain error feedback at first.
  void compensate(const Compensation& compensation) { compensation_ = compensation; }

  // A group of one keeps its vector as it is.
  Task average(Worker& self, std::int64_t full_elements, std::span<float> inout) override;
  std::vector<Buffer> buffers(std::int64_t full_elements, const Group& group) const override;
  Bytes wire_bytes(std::int64_t full_elements, const Group& group) const override;

  std::span<const float> worker_error(std::size_t chunk) const { return worker_[chunk].last(); }
  std::span<const float> server_error() const { return server_->last(); }

 private:
  void encode(std::span<const float> values, const Worker& self);
  void serve(const Worker& self);
  void decode(std::span<float> values);
  Encoded code_in(const std::vector<std::byte>& parts, std::size_t part, std::size_t chunk) const;
  Bytes part_bytes(std::int64_t full_elements, int ranks) const;

  ShardOptions options_;
  std::unique_ptr<Compressor> compressor_;
  Compensation compensation_;
  std::vector<ElementRange> chunks_;  // of the numeric vector, by serving rank
  std::size_t part_size_ = 0;         // bytes of the longest code of a chunk
  std::vector<Errors> worker_;        // by chunk
  std::optional<Errors> server_;      // of this rank's chunk
  std::int64_t calls_ = 0;
  std::size_t own_ = 0;                                             // chunk that this rank serves
  std::vector<float> sum_, decoded_;                                // of this rank's chunk
  std::vector<std::byte> outgoing_, incoming_, served_, gathered_;  // one part per rank; served_: one
};

ShardOptions read_shard_options(Params& params);  // compressor, error_feedback

}  // namespace models

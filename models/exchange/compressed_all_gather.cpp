// Everybody sends its code to everybody and averages what it decodes: nothing is compressed twice, and bytes grow with
// the ranks. Stich, Cordonnier, Jaggi: Sparsified SGD with memory, NeurIPS 2018, algorithm 1 (MEM-SGD), in its parallel
// form; without errors kept QSGD (Alistarh et al., NeurIPS 2017, algorithm 1).

#include "models/exchange/compressed_all_gather.hpp"

#include <algorithm>

#include "models/base/error.hpp"
#include "models/base/params.hpp"

namespace models {
namespace {

constexpr std::string_view worker_errors_names[] = {"none", "worker"};

class CompressedAllGather final : public Exchange {
 public:
  CompressedAllGather(const GatherOptions& options, const ExchangeWorld& world)
      : compressor_(options.compressor()),
        kept_(options.error_feedback == ErrorFeedback::none ? Errors::Kept::none : Errors::Kept::last),
        errors_(kept_, static_cast<std::size_t>(world.numeric_elements)) {}

  Task average(Worker& self, std::int64_t full_elements, std::span<float> inout) override {
    const int ranks = self.group().size();
    if (ranks == 1) co_return;
    const bool numbers = !inout.empty();
    const double size = static_cast<double>(full_elements);
    if (numbers && mine_.empty()) {
      mine_.resize(static_cast<std::size_t>(compressor_->wire_size(static_cast<std::int64_t>(inout.size()))->value));
      all_.resize(mine_.size() * static_cast<std::size_t>(ranks));
      decoded_.resize(inout.size());
    }
    Kernel encode_kernel = compressor_->encode_work(full_elements);
    if (kept_ != Errors::Kept::none) encode_kernel.bytes = encode_kernel.bytes + Bytes{12.0 * size};
    Operation encoded =
        self.compute(encode_kernel, numbers ? Work([this, inout, &self] {
                       mine_ = errors_.encode(*compressor_, inout, {}, self.stream(Purpose::dither, calls_)).bytes;
                     })
                                            : Work{});
    co_await encoded;

    const auto part = static_cast<std::int64_t>(compressor_->wire_size(full_elements)->value);
    const CollectiveCall gather{.name = "compressed gradient",
                                .kind = CollectiveKind::all_gather,
                                .elements = part * ranks,
                                .element_size = Bytes{1.0}};
    Operation gathered = self.all_gather(gather, mine_, all_);
    co_await gathered;

    Kernel decode_kernel = compressor_->decode_work(full_elements);
    decode_kernel.bytes = static_cast<double>(ranks) * decode_kernel.bytes;
    Operation decoded = self.compute(decode_kernel, numbers ? Work([this, inout] { sum_up(inout); }) : Work{});
    co_await decoded;
    calls_ += 1;
  }
  std::vector<Buffer> buffers(std::int64_t full_elements, const Group& group) const override {
    if (group.size() == 1) return {};
    std::vector<Buffer> buffers;
    if (kept_ != Errors::Kept::none)
      buffers.push_back(
          {MemoryCategory::error_feedback, Bytes{4.0 * static_cast<double>(full_elements)}, Lifetime::run});
    buffers.push_back({MemoryCategory::communication_buffers,
                       static_cast<double>(group.size() + 1) * compressor_->wire_size(full_elements).value(),
                       Lifetime::exchange});
    return buffers;
  }
  Bytes wire_bytes(std::int64_t full_elements, const Group& group) const override {
    return static_cast<double>(group.size() - 1) * compressor_->wire_size(full_elements).value();
  }

 private:
  void sum_up(std::span<float> inout) {
    const std::size_t ranks = all_.size() / std::max<std::size_t>(mine_.size(), 1);
    const float share = 1.0f / static_cast<float>(ranks);
    std::fill(inout.begin(), inout.end(), 0.0f);
    for (std::size_t i = 0; i < ranks; ++i) {
      const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(i * mine_.size());
      const Encoded code{{begin, begin + static_cast<std::ptrdiff_t>(mine_.size())},
                         static_cast<std::int64_t>(inout.size())};
      compressor_->decode(code, decoded_);
      blend(inout, decoded_, 1.0f, share);
    }
  }

  std::unique_ptr<Compressor> compressor_;
  Errors::Kept kept_;
  Errors errors_;
  std::int64_t calls_ = 0;
  std::vector<float> decoded_;
  std::vector<std::byte> mine_, all_;
};

}  // namespace

GatherOptions read_gather_options(Params& params) {
  GatherOptions options;
  options.compressor = params.plugin("compressor", compressors(), "codes of the vectors", "top_k");
  options.error_feedback = static_cast<ErrorFeedback>(params.choice("error_feedback", worker_errors_names,
                                                                    "whether what a code missed is added to the next",
                                                                    static_cast<std::size_t>(ErrorFeedback::worker)));
  return options;
}

ExchangeMaker compressed_all_gather(const GatherOptions& options) {
  return [options](const ExchangeWorld& world) { return std::make_unique<CompressedAllGather>(options, world); };
}

ExchangeMaker read_compressed_all_gather(Params& params) { return compressed_all_gather(read_gather_options(params)); }

}  // namespace models

// The average in the precision of gradients on the wire.

#include "models/base/params.hpp"
#include "models/exchange/exchange.hpp"

namespace models {
namespace {

class AllReduce final : public Exchange {
 public:
  Task average(Worker& self, std::int64_t full_elements, std::span<float> inout) override {
    const CollectiveCall call{.name = "average",
                              .kind = CollectiveKind::all_reduce,
                              .elements = full_elements,
                              .element_size = element_size(self.precision())};
    Operation averaged = self.all_reduce(call, inout, Average::mean);
    co_await averaged;
  }
  std::vector<Buffer> buffers(std::int64_t, const Group&) const override { return {}; }
  // A ring, in single precision: an upper bound for half precision.
  Bytes wire_bytes(std::int64_t full_elements, const Group& group) const override {
    const double n = static_cast<double>(group.size());
    return Bytes{4.0 * 2.0 * (n - 1.0) / n * static_cast<double>(full_elements)};
  }
};

}  // namespace

ExchangeMaker read_all_reduce(Params&) {
  return [](const ExchangeWorld&) { return std::make_unique<AllReduce>(); };
}

}  // namespace models

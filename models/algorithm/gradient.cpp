#include "models/algorithm/gradient.hpp"

#include "models/base/params.hpp"
#include "models/optimizer/learning_rate.hpp"

namespace models {

Task averaged_gradient(Worker& self) {
  const std::vector<Bucket>& buckets = self.layout().buckets;
  std::vector<Operation> averages;
  averages.reserve(buckets.size());
  for (;;) {
    Operation next = self.next_bucket();
    const Outcome filled = co_await next;
    if (filled.item < 0) break;
    const Bucket& bucket = buckets[static_cast<std::size_t>(filled.item)];
    std::span<float> numbers;
    if (self.learning())
      numbers = self.gradient().subspan(static_cast<std::size_t>(bucket.numeric_begin),
                                        static_cast<std::size_t>(bucket.numeric_count));
    const CollectiveCall call{.name = "gradient",
                              .kind = CollectiveKind::all_reduce,
                              .elements = bucket.full_parameters,
                              .element_size = element_size(self.precision())};
    averages.push_back(self.all_reduce(call, numbers, Average::mean));
  }
  Operation averaged = self.all(averages);
  co_await averaged;
}

Task own_gradient(Worker& self) {
  for (;;) {
    Operation next = self.next_bucket();
    const Outcome filled = co_await next;
    if (filled.item < 0) break;
  }
}

CommonOptions read_common_options(Params& params) {
  CommonOptions options;
  options.learning_rate = read_learning_rate(params);
  options.step_overhead =
      params.seconds("step_overhead", not_negative,
                     "measured software overhead of one optimizer step, added to its kernels", Seconds{});
  return options;
}

double learning_rate_at(const CommonOptions& options, std::int64_t step, std::int64_t steps) {
  return options.learning_rate ? (*options.learning_rate)(step, steps) : 0.0;
}

std::vector<AlgorithmSpec::Finding> common_findings(const CommonOptions& options, std::int64_t numeric_elements) {
  if (numeric_elements == 0 || options.learning_rate) return {};
  return {{"learning_rate", "the algorithm has no learning rate, and learning needs one",
           "learning_rate: {peak: 0.01, schedule: cosine}", true}};
}

}  // namespace models

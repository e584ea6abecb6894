#pragma once
// What a code missed is added to later vectors.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "models/compression/compressor.hpp"
#include "models/kernel/descent.hpp"

namespace models {

enum class ErrorFeedback : std::size_t { none, worker, both };
inline constexpr std::string_view error_feedback_names[] = {"none", "worker", "both"};

// Shares of the last error and of the one before that are added to a vector before it is coded. {1, 0}: plain error
// feedback.
struct Compensation {
  float last = 1.0f, before = 0.0f;
};

// The errors of one vector that is coded again and again. Two vectors of floats, one while `before` is never used.
class Errors {
 public:
  enum class Kept { none, last, last_two };
  Errors(Kept kept, std::size_t elements)
      : last_(kept == Kept::none ? 0 : elements), before_(kept == Kept::last_two ? elements : 0) {}

  // u = values + c.last d + c.before d'; gives C(u); then d' = d and d = u - decode(C(u)). Without errors: C(values).
  Encoded encode(const Compressor& compressor, std::span<const float> values, const Compensation& c,
                 const Stream& stream) {
    if (last_.empty()) return compressor.encode(values, stream);
    sum_.assign(values.begin(), values.end());
    blend(sum_, last_, 1.0f, c.last);
    if (!before_.empty()) blend(sum_, before_, 1.0f, c.before);
    Encoded code = compressor.encode(sum_, stream);
    if (!before_.empty()) last_.swap(before_);
    compressor.decode(code, last_);
    blend(last_, sum_, -1.0f, 1.0f);
    return code;
  }
  std::span<const float> last() const { return last_; }

 private:
  std::vector<float> last_, before_, sum_;  // d, d' and u
};

}  // namespace models

#pragma once
// What quantisers share: a vector cut into buckets, each with a header of its own and codes of one width.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/kernel/codes.hpp"

namespace models {

// `bucket` elements each, the last what is left; 0: the whole vector is one bucket. Codes of a bucket fill whole bytes.
struct Buckets {
  std::int64_t size = 0;

  std::int64_t count(std::int64_t elements) const {
    if (elements == 0) return 0;
    return size == 0 ? 1 : (elements + size - 1) / size;
  }
  std::size_t wire_bytes(std::int64_t elements, std::size_t header, int width) const {
    if (elements == 0) return 0;
    const std::int64_t one = size == 0 ? elements : size, whole = elements / one, rest = elements % one;
    return static_cast<std::size_t>(count(elements)) * header +
           static_cast<std::size_t>(whole) * packed_size(static_cast<std::size_t>(one), width) +
           packed_size(static_cast<std::size_t>(rest), width);
  }
  // body(first element, number of elements) for each.
  template <class Body>
  void each(std::size_t elements, const Body& body) const {
    const std::size_t step = size == 0 ? std::max<std::size_t>(elements, 1) : static_cast<std::size_t>(size);
    for (std::size_t first = 0; first < elements; first += step) body(first, std::min(step, elements - first));
  }
};

}  // namespace models

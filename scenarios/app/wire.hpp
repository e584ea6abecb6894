#pragma once
// Values as bytes between a process and its child: the same program on both ends, so numbers travel as they lie in
// memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/base/error.hpp"
#include "sim/numeric/trajectory.hpp"

namespace scenarios {

class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void number(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T> T number() {
    models::ensure(rest_.size() >= sizeof(T), "a message between processes is whole");
    T value;
    __builtin_memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::size_t>();
    models::ensure(rest_.size() >= size, "a text between processes is whole");
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
};

std::string packed(const std::vector<models::Diagnostic>& diagnostics);
std::vector<models::Diagnostic> unpacked_diagnostics(std::string_view bytes);
std::string packed(const sim::Trajectory& trajectory);
sim::Trajectory unpacked_trajectory(std::string_view bytes);

}  // namespace scenarios

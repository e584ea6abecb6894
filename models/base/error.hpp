#pragma once
// The one exception that means "the user can fix this", and the one that means "our bug".

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace models {

// Where something was written. `file` is as the user typed it (or "--set KEY=VALUE"); line and column count from 1;
// line 0: no position.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string excerpt;  // the whole source line, for the caret; may be empty

  bool operator==(const Place&) const = default;
};

template <class T>
struct Located {
  T value{};
  Place place;
};

struct Diagnostic {
  Place place;
  std::string message;  // one sentence, no full stop: compressor 'topk' is not known
  std::string hint;     // remedy, legal values; may be empty
};

// file:line:column: error: message, the line with a caret, hint.
std::string rendered(const Diagnostic& diagnostic);

class Error : public std::runtime_error {
 public:
  explicit Error(std::vector<Diagnostic> diagnostics);
  Error(Place place, std::string message, std::string hint = {});
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A broken invariant is our bug: exit code 3.
inline void ensure(bool condition, const char* sentence) {
  if (!condition) throw Bug(sentence);
}

// The known names nearest to `wrong` by edit distance, best first, at most `most`; none when nothing is near.
std::vector<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known, std::size_t most = 1);

}  // namespace models

#pragma once

#include <string>
#include <string_view>

namespace scenarios {

// SHA-256 (FIPS 180-4), as 64 hexadecimal digits: names the scenario text in a result.
std::string sha256(std::string_view text);

}  // namespace scenarios

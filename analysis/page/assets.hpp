#pragma once
// Texts that CMake found and the assembler put into the program.

#include <string_view>

namespace analysis {

std::string_view chart_js();  // empty: the program was built without Chart.js
std::string_view page_script();
std::string_view page_style();

}  // namespace analysis

#pragma once
// What the charts of the HTML report draw, as one JSON text for its script.

#include <span>
#include <string>

#include "analysis/verify/verify.hpp"
#include "sim/result/run.hpp"

namespace analysis {

// Curves are thinned to at most 1,000 points each (the lowest and highest of every stretch stay). '<' is escaped: the
// text may stand in a script element.
std::string chart_data(std::span<const sim::Run> runs, const Verification& verification);

}  // namespace analysis

#include "models/collective/strands.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace models {

namespace {

bool under_way(const Strand& strand, std::int64_t round) {
  return round >= strand.begin && round < strand.begin + strand.rounds;
}

}  // namespace

Schedule side_by_side(std::vector<Strand> strands, PatternFamily family, std::initializer_list<std::int64_t> what) {
  std::vector<std::int64_t> moments;
  for (const Strand& strand : strands) {
    if (strand.rounds == 0) continue;
    moments.push_back(strand.begin);
    moments.push_back(strand.begin + strand.rounds);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  const auto all = std::make_shared<const std::vector<Strand>>(std::move(strands));
  Schedule phases;
  for (std::size_t m = 0; m + 1 < moments.size(); ++m) {
    const std::int64_t begin = moments[m], end = moments[m + 1];
    std::vector<std::int64_t> names(what);
    for (std::size_t s = 0; s < all->size(); ++s)
      if (under_way((*all)[s], begin)) names.push_back(static_cast<std::int64_t>(s));
    ensure(names.size() > what.size(), "in every round of a schedule some strand is under way");
    Phase phase{end - begin,
                pattern(family, names),
                [all, begin](std::int64_t round, std::vector<Transfer>& out) {
                  for (const Strand& strand : *all)
                    if (under_way(strand, begin + round)) strand.fill(begin + round - strand.begin, out);
                },
                {}};
    if (all->front().pieces)
      phase.pieces = [all, begin](std::int64_t round, std::size_t transfer, std::vector<ElementRange>& out) {
        for (const Strand& strand : *all) {
          if (!under_way(strand, begin + round)) continue;
          if (transfer < strand.transfers) return strand.pieces(begin + round - strand.begin, transfer, out);
          transfer -= strand.transfers;
        }
      };
    phases.push_back(std::move(phase));
  }
  return phases;
}

Schedule backwards(Schedule schedule) {
  Schedule reversed;
  for (auto phase = schedule.rbegin(); phase != schedule.rend(); ++phase) {
    const std::int64_t last = phase->repeats - 1;
    Phase other{phase->repeats,
                pattern(PatternFamily::backwards, {static_cast<std::int64_t>(phase->same_links)}),
                [fill = std::move(phase->fill), last](std::int64_t round, std::vector<Transfer>& out) {
                  const std::size_t before = out.size();
                  fill(last - round, out);
                  for (std::size_t i = before; i < out.size(); ++i) {
                    std::swap(out[i].from, out[i].to);
                    out[i].combine = Combine::add;
                  }
                },
                {}};
    if (phase->pieces)
      other.pieces = [pieces = std::move(phase->pieces), last](std::int64_t round, std::size_t transfer,
                                                               std::vector<ElementRange>& out) {
        pieces(last - round, transfer, out);
      };
    reversed.push_back(std::move(other));
  }
  return reversed;
}

}  // namespace models

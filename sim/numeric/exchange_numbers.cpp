#include "sim/numeric/exchange_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/base/error.hpp"
#include "models/base/pool.hpp"

namespace sim {
namespace {

constexpr std::size_t block = 2048;  // floats one task reduces: fits the first-level cache beside one member's block

void reduce_block(const NumericCollective& collective, std::size_t begin, std::size_t count) {
  std::array<float, block> sum;
  std::copy_n(collective.members[0].numbers.data() + begin, count, sum.data());
  for (std::size_t member = 1; member < collective.members.size(); ++member) {
    const float* numbers = collective.members[member].numbers.data() + begin;
    for (std::size_t i = 0; i < count; ++i) sum[i] += numbers[i];
  }
  if (collective.average == models::Average::mean) {
    const float members = static_cast<float>(collective.members.size());
    for (std::size_t i = 0; i < count; ++i) sum[i] /= members;
  }
  for (const Contribution& member : collective.members) std::copy_n(sum.data(), count, member.numbers.data() + begin);
}

// What member `to` receives.
void move_bytes(const NumericCollective& collective, std::size_t to) {
  const std::size_t n = collective.members.size();
  const std::span<std::byte> incoming = collective.members[to].incoming;
  const std::size_t part = incoming.size() / n;
  for (std::size_t from = 0; from < n; ++from) {
    const std::span<const std::byte> outgoing = collective.members[from].outgoing;
    const std::size_t offset = collective.kind == models::CollectiveKind::all_to_all ? to * part : 0;
    models::ensure(offset + part <= outgoing.size(), "every member of a collective brings parts of equal size");
    if (part != 0) std::memcpy(incoming.data() + from * part, outgoing.data() + offset, part);
  }
}

struct Piece {
  const NumericCollective* collective;
  std::size_t begin;
};  // begin: an element of a reduction, or the receiving member

}  // namespace

void exchange_numbers(std::span<const NumericCollective* const> collectives) {
  std::vector<Piece> pieces;
  for (const NumericCollective* collective : collectives) {
    if (collective->kind == models::CollectiveKind::all_reduce) {
      const std::size_t count = collective->members[0].numbers.size();
      for (const Contribution& member : collective->members)
        models::ensure(member.numbers.size() == count, "every member of a reduction brings as many numbers");
      for (std::size_t begin = 0; begin < count; begin += block) pieces.push_back({collective, begin});
    } else {
      for (std::size_t member = 0; member < collective->members.size(); ++member)
        if (!collective->members[member].incoming.empty()) pieces.push_back({collective, member});
    }
  }
  models::parallel_for(pieces.size(), [&](std::size_t i) {
    const NumericCollective& collective = *pieces[i].collective;
    if (collective.kind == models::CollectiveKind::all_reduce)
      reduce_block(collective, pieces[i].begin,
                   std::min(block, collective.members[0].numbers.size() - pieces[i].begin));
    else
      move_bytes(collective, pieces[i].begin);
  });
}

}  // namespace sim

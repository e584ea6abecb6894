#include <catch2/catch.hpp>

#include "models/base/defaults.hpp"
#include "models/base/error.hpp"
#include "models/collective/protocol.hpp"

using namespace models;
using namespace models::literals;

namespace {

Group group_of(int size) {
  Group group;
  for (int i = 0; i < size; ++i) {
    group.ranks.push_back(Rank{i});
    group.node.push_back(0);
  }
  return group;
}

Protocols quick_and_wide() {
  Protocols protocols;
  protocols.all = {{"quick", 5_us, Seconds{}, 4.0, false}, {"wide", 20_us, 2_us, 1.0, false}};
  protocols.link = 100_GBps;
  protocols.channel = 10_GBps;
  protocols.copy = 500_GBps;
  return protocols;
}

// A ring's rounds on a switch: n - 1 or 2(n - 1) slices.
RoundsTime on_switch(CollectiveKind kind, int n, Bytes size) {
  return [kind, n, size](std::string_view algorithm, const Pace& pace) {
    const std::int64_t elements = std::int64_t{n} * n;
    const CollectiveAlgorithm made = made_by_default(*collectives().find(algorithm));
    return SwitchedRounds(made.schedule(group_of(n), {kind, elements, 0}), n, elements)
        .time(size, 1_us, 100_GBps, pace);
  };
}

Choice chosen(CollectiveKind kind, int n, Bytes size, const CollectiveWish& wish = {},
              const Protocols& protocols = quick_and_wide()) {
  return choose(protocols, kind, group_of(n), size, wish, on_switch(kind, n, size));
}

std::string refusal(CollectiveKind kind, const CollectiveWish& wish, const Protocols& protocols) {
  try {
    chosen(kind, 4, 1_MiB, wish, protocols);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("rounds on a switch take a latency, a step and the busiest cable's bytes each", "[protocol]") {
  const Pace pace{7_us, 2_us, 1.5};
  for (const int n : {2, 3, 8, 17}) {
    const double slice = 1e6 / n;
    const auto time = [&](CollectiveKind kind, std::string_view algorithm) {
      return on_switch(kind, n, Bytes{1e6})(algorithm, pace).value;
    };
    CHECK(time(CollectiveKind::all_reduce, "ring") == Approx(2 * (n - 1) * (3e-6 + 1.5 * slice / 1e11)).epsilon(1e-12));
    CHECK(time(CollectiveKind::all_gather, "ring") == Approx((n - 1) * (3e-6 + 1.5 * slice / 1e11)).epsilon(1e-12));
    CHECK(time(CollectiveKind::all_to_all, "direct") == Approx(3e-6 + 1.5 * (n - 1) * slice / n / 1e11).epsilon(1e-12));
  }
}

// quick: 5 us + 6 x (1 us + 4 x size / 4 / 1e11); wide: 20 us + 6 x (3 us + size / 4 / 1e11). They meet at 600 KB.
TEST_CASE("the protocol with the smaller predicted time is chosen", "[protocol]") {
  CHECK(chosen(CollectiveKind::all_reduce, 4, Bytes{5.9e5}).protocol->name == "quick");
  CHECK(chosen(CollectiveKind::all_reduce, 4, Bytes{6.1e5}).protocol->name == "wide");
  const Choice small = chosen(CollectiveKind::all_reduce, 4, 1_KiB);
  CHECK(small.algorithm == "ring");
  CHECK(small.pace.wire == 4.0);
  CHECK(small.pace.start_up.value == Approx(5e-6 + 256.0 / 5e11).epsilon(1e-12));  // with the copy of a slice
}

TEST_CASE("a wished protocol is taken at every size, and an unknown one refused with the known ones", "[protocol]") {
  CHECK(chosen(CollectiveKind::all_reduce, 4, 1_GiB, {"auto", "quick", 0, 4_B}).protocol->name == "quick");
  CHECK_THAT(refusal(CollectiveKind::all_reduce, {"auto", "ll", 0, 4_B}, quick_and_wide()),
             Catch::Contains("no protocol 'll'") && Catch::Contains("quick, wide"));
  CHECK_THAT(refusal(CollectiveKind::all_reduce, {"auto", "ll", 0, 4_B}, {}),
             Catch::Contains("nothing is known of protocols"));
}

TEST_CASE("without protocols the automatic algorithm plays bare transfers", "[protocol]") {
  const Choice bare = chosen(CollectiveKind::all_gather, 4, 1_MiB, {}, {});
  CHECK(bare.protocol == nullptr);
  CHECK(bare.algorithm == "ring");
  CHECK(bare.pace.start_up == Seconds{});
  CHECK(bare.pace.wire == 1.0);
}

TEST_CASE("few channels hold the rate down, many leave the link's", "[protocol]") {
  CHECK(chosen(CollectiveKind::all_reduce, 4, 1_GiB, {"auto", "wide", 4, 4_B}).pace.wire == 2.5);  // 40 of 100 GB/s
  CHECK(chosen(CollectiveKind::all_reduce, 4, 1_GiB, {"auto", "wide", 16, 4_B}).pace.wire == 1.0);
}

TEST_CASE("messages between pairs take the protocol of their size, large ones peer by peer", "[protocol]") {
  Protocols protocols = quick_and_wide();
  protocols.pairwise = {"quick", "wide", 16_KiB, 512_KiB, 0.5};
  // Four members: a message is a sixteenth of the whole exchange.
  const auto of = [&](Bytes message) { return chosen(CollectiveKind::all_to_all, 4, message * 16.0, {}, protocols); };
  CHECK(of(16_KiB).protocol->name == "quick");
  CHECK(of(16_KiB).algorithm == "direct");
  CHECK(of(17_KiB).protocol->name == "wide");
  CHECK(of(17_KiB).algorithm == "direct");
  CHECK(of(512_KiB).algorithm == "pairwise");
  CHECK(of(17_KiB).pace.start_up.value == Approx(0.5 * 22e-6 - 2e-6 + 17.0 * 1024.0 / 5e11).epsilon(1e-12));
  CHECK(chosen(CollectiveKind::all_reduce, 4, 1_GiB, {}, protocols).pace.step == 2_us);
}

// Eight members: a ring moves 14/8 of the vector over each cable, a switch that adds 9/8.
TEST_CASE("a switch that adds moves (n + 1) / n of the vector, for all-reduces only", "[protocol]") {
  Protocols protocols = quick_and_wide();
  protocols.all.push_back({"in_switch", 30_us, Seconds{}, 1.0, true});
  const Choice large = chosen(CollectiveKind::all_reduce, 8, 1_GiB, {}, protocols);
  CHECK(large.protocol->name == "in_switch");
  CHECK(on_switch(CollectiveKind::all_reduce, 8, 1_GiB)(large.algorithm, large.pace).value ==
        Approx(14 * 1e-6 + 9.0 / 8.0 * 1073741824.0 / 1e11).epsilon(1e-12));
  CHECK(chosen(CollectiveKind::all_reduce, 8, 1_KiB, {}, protocols).protocol->name == "quick");
  CHECK(chosen(CollectiveKind::all_gather, 8, 1_GiB, {}, protocols).protocol->name == "wide");
  CHECK(chosen(CollectiveKind::all_reduce, 2, 1_GiB, {}, protocols).protocol->name == "wide");
  CHECK(chosen(CollectiveKind::all_reduce, 8, 1_GiB, {"ring", "auto", 0, 4_B}, protocols).protocol->name == "wide");
  CHECK(chosen(CollectiveKind::all_reduce, 8, 1_GiB, {"auto", "auto", 0, 1_B}, protocols).protocol->name == "wide");
  CHECK_THAT(refusal(CollectiveKind::all_gather, {"auto", "in_switch", 0, 4_B}, protocols),
             Catch::Contains("protocol 'in_switch' is for all-reduces"));
}

#include "models/exchange/exchange.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "models/base/block_sum.hpp"
#include "models/exchange/two_sided_compressed.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/instant_worker.hpp"

namespace {

std::vector<float> vector_of(int member, std::int64_t round, std::size_t count) {
  std::vector<float> values(count);
  models::Stream(13, models::Purpose::problem, static_cast<std::uint32_t>(member), static_cast<std::uint32_t>(round))
      .fill_normal(values);
  return values;
}

// Averages vector_of(member, round) once a step and shows the result.
class Averaging final : public models::Algorithm {
 public:
  using Seen =
      std::function<void(int member, std::int64_t round, const models::Exchange&, const std::vector<float>& average)>;
  Averaging(std::unique_ptr<models::Exchange> exchange, std::size_t count, Seen seen)
      : exchange_(std::move(exchange)), count_(count), seen_(std::move(seen)) {}
  models::Task run(models::Worker& self) override {
    for (std::int64_t round = 0; round < self.steps(); ++round) {
      values_ = vector_of(self.member(), round, count_);
      models::Task average = exchange_->average(self, static_cast<std::int64_t>(count_), values_);
      co_await average;
      seen_(self.member(), round, *exchange_, values_);
      models::Operation ended = self.end_step(round);
      co_await ended;
    }
  }
  std::vector<models::Buffer> buffers(const models::Layout&, const models::Group&) const override { return {}; }

 private:
  std::unique_ptr<models::Exchange> exchange_;
  std::size_t count_;
  Seen seen_;
  std::vector<float> values_;
};

support::InstantRun averaged(const std::string& row, const std::string& keys, int ranks, std::size_t count,
                             std::int64_t rounds, const Averaging::Seen& seen) {
  const auto elements = static_cast<std::int64_t>(count);
  support::InstantRun run(support::plain_layout(elements, elements), ranks, rounds, nullptr);
  const models::ExchangeMaker maker = support::read_row(models::exchanges(), row, keys);
  run.run([&] {
    return std::make_unique<Averaging>(maker({ranks, elements, elements, models::Chunking::padded}), count, seen);
  });
  return run;
}

}  // namespace

TEST_CASE("every exchange gives all members the same vector, and a group of one its own", "[exchange]") {
  for (const auto& row : models::exchanges().rows())
    for (const int ranks : {1, 2, 3, 5})
      for (const std::size_t count : {1UL, 7UL, 331UL}) {
        INFO(row.name << ", " << ranks << " ranks, " << count << " elements");
        std::vector<std::vector<float>> first;
        const auto seen = [&](int member, std::int64_t round, const models::Exchange&,
                              const std::vector<float>& average) {
          if (ranks == 1) CHECK(average == vector_of(member, round, count));
          if (static_cast<std::size_t>(round) == first.size()) first.push_back(average);
          CHECK(average == first[static_cast<std::size_t>(round)]);
        };
        averaged(std::string(row.name), "", ranks, count, 2, seen);
      }
}

TEST_CASE("all_reduce is the mean", "[exchange]") {
  averaged("all_reduce", "", 3, 100, 1,
           [](int, std::int64_t, const models::Exchange&, const std::vector<float>& average) {
             const auto a = vector_of(0, 0, 100), b = vector_of(1, 0, 100), c = vector_of(2, 0, 100);
             for (std::size_t k = 0; k < 100; ++k)
               CHECK(average[k] == Approx((a[k] + b[k] + c[k]) / 3.0f).margin(1e-6));
           });
}

TEST_CASE("the two-sided average and its residuals together hold what the workers sent", "[exchange]") {
  // mean_i(m_i + e_w,i before) + e_s before = average + mean_i e_w,i after + e_s after, chunk by chunk, every round.
  constexpr std::size_t count = 128;
  constexpr int ranks = 4;
  for (const char* keys : {"scale: l2", "scale: l1"}) {
    std::vector<double> owed(count), before(count);
    int members = 0;
    averaged("two_sided_compressed", keys, ranks, count, 20,
             [&](int member, std::int64_t round, const models::Exchange& exchange, const std::vector<float>& average) {
               const auto& two_sided = dynamic_cast<const models::TwoSidedCompressed&>(exchange);
               const std::vector<float> sent = vector_of(member, round, count);
               if (members % ranks == 0) std::fill(owed.begin(), owed.end(), 0.0);
               for (std::size_t k = 0; k < count; ++k) {
                 owed[k] += static_cast<double>(two_sided.worker_residual()[k]) / ranks;
                 before[k] += static_cast<double>(sent[k]) / ranks;
               }
               const std::size_t chunk = count / ranks, first = chunk * static_cast<std::size_t>(member);
               for (std::size_t k = 0; k < chunk; ++k)
                 owed[first + k] += static_cast<double>(two_sided.server_residual()[k]);
               if (++members % ranks != 0) return;
               for (std::size_t k = 0; k < count; ++k)
                 CHECK(static_cast<double>(average[k]) + owed[k] == Approx(before[k]).margin(2e-5));
               before = owed;
             });
  }
}

TEST_CASE("each averaged chunk has one magnitude, and without feedback nothing is owed", "[exchange]") {
  averaged("two_sided_compressed", "error_feedback: none", 4, 128, 2,
           [](int, std::int64_t, const models::Exchange&, const std::vector<float>& average) {
             for (std::size_t k = 0; k < 128; ++k) CHECK(std::fabs(average[k]) == std::fabs(average[k / 32 * 32]));
           });
  std::vector<std::vector<float>> rounds;
  const auto constant = [&](int member, std::int64_t, const models::Exchange&, const std::vector<float>& average) {
    if (member == 0) rounds.push_back(average);
  };
  averaged("two_sided_compressed", "error_feedback: both", 4, 128, 3, constant);
  CHECK(rounds[0] != rounds[1]);
}

TEST_CASE("the two-sided average sends at full size what its numbers take", "[exchange]") {
  // 128 elements in both planes, at 4 ranks no padding: 16 bytes of signs and one scale per rank.
  const support::InstantRun run =
      averaged("two_sided_compressed", "", 4, 128, 1,
               [](int, std::int64_t, const models::Exchange&, const std::vector<float>&) {});
  double total = 0.0;
  for (const auto& [name, sent] : run.sent) {
    INFO(name);
    CHECK(sent.full_bytes == sent.numeric_bytes);
    total += sent.full_bytes;
  }
  models::Group group;
  for (int i = 0; i < 4; ++i) group.ranks.push_back(static_cast<models::Rank>(i));
  const auto exchange =
      support::read_row(models::exchanges(), "two_sided_compressed", "")({4, 0, 128, models::Chunking::padded});
  CHECK(exchange->wire_bytes(128, group).value == total);
  CHECK(total == 2.0 * 3 * (4 + 4));
}

TEST_CASE("chunks are padded to whole bytes, or cut in proportion", "[exchange]") {
  CHECK(models::padded_elements(1, 4) == 32);
  CHECK(models::padded_elements(20480, 64) == 20480);
  CHECK(models::padded_elements(336226108, 512) % (512 * 512) == 0);
  const models::Chunks padded = models::numeric_chunks(100, 1000000, 4, models::Chunking::padded);
  CHECK(padded.total == 128);
  const models::Chunks proportional = models::numeric_chunks(1000, 1000000, 100, models::Chunking::automatic);
  // Full padding to a multiple of 100 x 200: none.
  CHECK(proportional.total == 1000);
  std::int64_t end = 0;
  for (const models::ElementRange& range : proportional.ranges) {
    CHECK(range.begin == end);
    end += range.count;
  }
  CHECK(end == proportional.total);
  CHECK(models::numeric_chunks(1000, 990000, 100, models::Chunking::proportional).total == 1010);
  CHECK_FALSE(models::padding_fault(20480, 64, models::Chunking::automatic));
}

TEST_CASE("codes that cross the host's memory are copied as often as DeepSpeed's MPI backend copies them",
          "[exchange]") {
  constexpr int ranks = 4;
  const auto seconds = [](const std::string& keys) {
    const support::InstantRun run = averaged("two_sided_compressed", keys, ranks, 128, 1,
                                             [](int, std::int64_t, const models::Exchange&, const auto&) {});
    double sum = 0.0;
    for (const models::Kernel& kernel : run.kernels) sum += kernel.fixed.value;
    return sum;
  };
  // 16 bytes of signs: out once, in twice, out once and a quarter, in once and a quarter, at 1 kB/s.
  CHECK(seconds("host_staging: 1 kB/s") == Approx(16.0 * (5.0 + 2.0 / ranks) / 1000.0));
  CHECK(seconds("") == 0.0);
}

// The Trace Event format, which chrome://tracing and ui.perfetto.dev open: one process per rank, lanes compute,
// communication and idle.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/report/rows.hpp"
#include "analysis/statistics/summary.hpp"

namespace analysis {
namespace {

constexpr int most_ranks = 64;                // of one run: more are no picture
constexpr std::size_t most_events = 2000000;  // about 200 MB, what the viewers still open
constexpr std::int32_t idle_lane = 2;
constexpr const char* lane_names[] = {"compute", "communication", "idle"};

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Whole nanoseconds, so that a span ends exactly where the next begins.
std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
std::string microseconds(std::int64_t nanosecond) {
  return fmt::format("{}.{:03}", nanosecond / 1000, nanosecond % 1000);
}

struct Interval {
  std::int64_t begin, end;
};
struct Event {
  std::int32_t lane;
  const char* name;
  Interval when;
};

// What neither lane covers between 0 and the end of the run.
std::vector<Interval> gaps(const std::vector<Event>& events, std::int64_t end) {
  std::vector<Interval> busy, found;
  for (const Event& event : events) busy.push_back(event.when);
  std::sort(busy.begin(), busy.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::int64_t covered = 0;
  for (const Interval& interval : busy) {
    if (interval.begin > covered) found.push_back({covered, interval.begin});
    covered = std::max(covered, interval.end);
  }
  if (end > covered) found.push_back({covered, end});
  return found;
}

class Writer {
 public:
  bool full() const { return written_ >= most_events; }
  void metadata(const char* kind, std::int64_t process, std::int32_t lane, const std::string& name) {
    separate();
    fmt::format_to(std::back_inserter(text_),
                   "{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", kind, process,
                   lane, json_text(name));
  }
  void event(std::int64_t process, const Event& event) {
    separate();
    fmt::format_to(std::back_inserter(text_),
                   "{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}}",
                   json_text(event.name), lane_names[event.lane], process, event.lane, microseconds(event.when.begin),
                   microseconds(event.when.end - event.when.begin));
    ++written_;
  }
  std::string finished(const sim::ScenarioInfo& scenario, const std::string& shown) const {
    return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"scenario\":" + json_text(scenario.name) +
           ",\"shown\":" + json_text(shown) + "},\"traceEvents\":[" + text_ + "\n]}\n";
  }

 private:
  void separate() { text_ += text_.empty() ? "\n" : ",\n"; }
  std::string text_;
  std::size_t written_ = 0;
};

std::string run_title(const sim::Run& run) {
  const std::string at = point_text(run.point);
  return run.variant + (run.variant.empty() || at.empty() ? "" : " at ") + at;
}

// Gives the next free process id: a rank is a process, and the ranks of the next run follow. Says which ranks were left
// out.
std::int64_t write_run(const sim::Run& run, std::int64_t first_process, Writer& writer, std::string& left_out) {
  std::map<std::int32_t, std::vector<Event>> ranks;
  std::int64_t end = 0;
  for (const sim::Span& span : run.result.spans) {
    const Interval when{nanoseconds(span.begin_s), std::max(nanoseconds(span.begin_s), nanoseconds(span.end_s))};
    const std::int32_t lane = span.lane == 0 ? 0 : 1;
    ranks[span.rank].push_back({lane, span.name, when});
    end = std::max(end, when.end);
  }
  int shown = 0;
  const std::string title = run_title(run);
  for (auto& [rank, events] : ranks) {
    if (shown == most_ranks || writer.full()) {
      left_out += (left_out.empty() ? "" : "; ") + (title.empty() ? "" : title + ": ") + std::to_string(shown) +
                  " of " + std::to_string(ranks.size()) + " ranks";
      break;
    }
    ++shown;
    const std::int64_t process = first_process + rank;
    writer.metadata("process_name", process, 0, title + (title.empty() ? "" : ", ") + "rank " + std::to_string(rank));
    for (std::int32_t lane = 0; lane <= idle_lane; ++lane)
      writer.metadata("thread_name", process, lane, lane_names[lane]);
    for (const Event& event : events) writer.event(process, event);
    for (const Interval& gap : gaps(events, end)) writer.event(process, {idle_lane, "idle", gap});
  }
  return ranks.empty() ? first_process : first_process + ranks.rbegin()->first + 1;
}

void write_trace(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs, Outputs& outputs) {
  Writer writer;
  std::string left_out;
  std::int64_t process = 0;
  bool any = false;
  for (const sim::Run& run : runs) {
    any = any || !run.result.spans.empty();
    process = write_run(run, process, writer, left_out);
  }
  if (any) outputs.file("trace.json", writer.finished(scenario, left_out.empty() ? "all ranks" : left_out));
}

}  // namespace

extern const ReportRow chrome_trace_report{
    "chrome_trace", "trace.json",
    "compute, communication and idle lanes of every rank (needs --trace), for ui.perfetto.dev", write_trace};

}  // namespace analysis

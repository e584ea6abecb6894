#include "analysis/verify/expression.hpp"

#include <algorithm>
#include <cstdlib>

#include "analysis/statistics/summary.hpp"
#include "models/base/error.hpp"
#include "models/base/units.hpp"

namespace analysis {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

[[noreturn]] void wrong(const sim::Reference& reference, const std::string& text, const std::string& why) {
  // place is FILE:LINE
  const std::size_t colon = reference.place.rfind(':');
  const std::string file = reference.place.substr(0, colon);
  const int line = colon == std::string::npos ? 0 : std::atoi(reference.place.c_str() + colon + 1);
  throw models::Error(models::Place{file, line, 0, ""}, "'" + text + "' " + why,
                      "write METRIC@VARIANT[KEY=VALUE; KEY=VALUE], two of them with '/' between, or such sides with "
                      "'>' or '<' between");
}

// Cuts at `separators` outside of brackets; the separators met go to `met`.
std::vector<std::string> parts_of(const std::string& text, const std::string& separators, std::string& met) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth == 0 && separators.find(c) != std::string::npos) {
      met += c;
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_tail(const std::string& key, const std::string& tail) {
  if (key == tail) return true;
  return key.size() > tail.size() && key.compare(key.size() - tail.size(), tail.size(), tail) == 0 &&
         key[key.size() - tail.size() - 1] == '.';
}

std::string words_of(const std::string& variant, const std::vector<std::pair<std::string, std::string>>& at) {
  std::string all = variant.empty() ? "any variant" : "'" + variant + "'";
  for (const auto& [key, value] : at)
    all += (all.back() == '\'' || all.back() == 't' ? " at " : ", ") + key + " = " + value;
  return all;
}

std::optional<double> size_row(const sim::Result& result, const std::string& column, const std::string& size) {
  for (const sim::Series& series : result.series) {
    const auto size_column = std::find(series.columns.begin(), series.columns.end(), "size_B");
    const auto wanted = std::find(series.columns.begin(), series.columns.end(), column);
    const std::optional<models::Bytes> bytes = models::read_bytes(size);
    if (series.name != "collective" || size_column == series.columns.end() || wanted == series.columns.end() || !bytes)
      continue;
    for (const auto& row : series.rows)
      if (row[static_cast<std::size_t>(size_column - series.columns.begin())] == bytes->value)
        return row[static_cast<std::size_t>(wanted - series.columns.begin())];
  }
  return {};
}

std::optional<double> naive_value(const sim::Result& result, const std::string& name) {
  for (const sim::Metric& metric : result.naive)
    if (metric.name == name) return metric.value;
  return {};
}

std::optional<double> divided(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || *b == 0.0) return {};
  return *a / *b;
}

}  // namespace

bool at_point(const std::vector<sim::PointValue>& point, const std::vector<std::pair<std::string, std::string>>& at) {
  return std::all_of(at.begin(), at.end(), [&](const auto& wanted) {
    return std::any_of(point.begin(), point.end(), [&](const sim::PointValue& value) {
      return is_tail(value.key, wanted.first) && same_amount(value.text, wanted.second);
    });
  });
}

bool same_amount(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto equal = [&](auto read) {
    const auto x = read(a), y = read(b);
    return x && y && *x == *y;
  };
  return equal(models::read_number) || equal(models::read_bytes) || equal(models::read_bytes_per_second) ||
         equal(models::read_seconds) || equal(models::read_fraction) || equal(models::read_per_second);
}

Expression::Term Expression::read_term(const std::string& text, const sim::Reference& reference) {
  Term term;
  const std::string whole = trimmed(text);
  if (const std::optional<double> number = models::read_number(whole)) {
    term.constant = number;
    return term;
  }
  const std::size_t bracket = whole.find('[');
  const std::string name = trimmed(whole.substr(0, bracket));
  const std::size_t sign = name.find('@');
  term.metric = trimmed(name.substr(0, sign));
  term.variant = sign == std::string::npos ? reference.variant : trimmed(name.substr(sign + 1));
  if (term.metric.empty() || term.metric.find(' ') != std::string::npos)
    wrong(reference, whole, "does not name a metric");
  if (sign != std::string::npos && term.variant.empty()) wrong(reference, whole, "names no variant after '@'");
  term.at = reference.at;
  if (bracket == std::string::npos) return term;
  if (whole.back() != ']') wrong(reference, whole, "lacks a closing ']'");
  std::string semicolons;
  for (const std::string& pair : parts_of(whole.substr(bracket + 1, whole.size() - bracket - 2), ";", semicolons)) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) wrong(reference, whole, "has a part in brackets that is not KEY=VALUE");
    const std::string key = trimmed(pair.substr(0, equals)), value = trimmed(pair.substr(equals + 1));
    const auto known = std::find_if(term.at.begin(), term.at.end(), [&](const auto& old) {
      return is_tail(old.first, key) || is_tail(key, old.first);
    });
    if (known != term.at.end())
      known->second = value;
    else
      term.at.emplace_back(key, value);
  }
  return term;
}

Expression Expression::read(const std::string& text, const sim::Reference& reference) {
  Expression expression;
  for (const std::string& side : parts_of(text, "<>", expression.signs_)) {
    std::string slashes;
    std::vector<Term> ratio;
    for (const std::string& term : parts_of(side, "/", slashes)) ratio.push_back(read_term(term, reference));
    expression.ratios_.push_back(std::move(ratio));
  }
  return expression;
}

Value Expression::evaluate(const Term& term, std::span<const sim::Run> runs) {
  if (term.constant) return {term.constant, term.constant, ""};
  std::vector<std::pair<std::string, std::string>> at = term.at;
  const auto size = std::find_if(at.begin(), at.end(), [](const auto& pair) { return pair.first == "size"; });
  const std::string size_text = size == at.end() ? "" : size->second;
  if (size != at.end()) at.erase(size);
  std::vector<std::string> known;
  for (const Group& group : grouped(runs)) {
    if ((!term.variant.empty() && group.variant() != term.variant) || !at_point(group.point(), at)) continue;
    const sim::Result& result = group.runs.front()->result;
    if (!size_text.empty()) {
      const std::optional<double> found = size_row(result, term.metric, size_text);
      return {found, {}, found ? "" : "the size table has no " + term.metric + " at " + size_text};
    }
    if (const std::optional<Spread> mean = spread(group, term.metric))
      return {mean->mean, naive_value(result, term.metric), ""};
    if (result.metric(term.metric))
      return {{},
              {},
              "the run of " + words_of(term.variant, at) + " has no " + term.metric + " (" +
                  sim::status_names[static_cast<int>(result.status)] + ")"};
    for (const sim::Metric& metric : result.metrics) known.push_back(metric.name);
    const std::vector<std::string> near = models::nearest(term.metric, known);
    return {{}, {}, "no metric " + term.metric + (near.empty() ? "" : ", did you mean " + near.front() + "?")};
  }
  return {{}, {}, "no run of " + words_of(term.variant, at)};
}

Value Expression::evaluate(const std::vector<Term>& ratio, std::span<const sim::Run> runs) {
  Value value = evaluate(ratio.front(), runs);
  for (std::size_t i = 1; i < ratio.size(); ++i) {
    const Value next = evaluate(ratio[i], runs);
    value.predicted = divided(value.predicted, next.predicted);
    value.naive = divided(value.naive, next.naive);
    if (value.problem.empty()) value.problem = next.problem;
  }
  if (!value.predicted && value.problem.empty()) value.problem = "divided by zero";
  return value;
}

Value Expression::value(std::span<const sim::Run> runs) const { return evaluate(ratios_.front(), runs); }

Value Expression::holds(std::span<const sim::Run> runs, double margin) const {
  Value all{1.0, 1.0, ""};
  for (std::size_t i = 0; i + 1 < ratios_.size(); ++i) {
    const Value left = evaluate(ratios_[i], runs), right = evaluate(ratios_[i + 1], runs);
    const auto compare = [&](const std::optional<double>& a, const std::optional<double>& b,
                             std::optional<double>& into) {
      if (!a || !b || !into) {
        into.reset();
        return;
      }
      const double larger = signs_[i] == '>' ? *a : *b, smaller = signs_[i] == '>' ? *b : *a;
      if (!(larger > smaller * (1.0 + margin))) into = 0.0;
    };
    compare(left.predicted, right.predicted, all.predicted);
    compare(left.naive, right.naive, all.naive);
    if (all.problem.empty()) all.problem = left.problem.empty() ? right.problem : left.problem;
  }
  return all;
}

}  // namespace analysis

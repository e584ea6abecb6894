#include "analysis/verify/verify.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/statistics/format.hpp"
#include "analysis/verify/expression.hpp"

namespace analysis {
namespace {

using Kind = sim::Reference::Kind;
using Role = sim::Reference::Role;

constexpr double rounding = 1e-12;  // a row exactly at its tolerance is within

std::optional<double> relative_error(const std::optional<double>& predicted, const std::optional<double>& published) {
  if (!predicted || !published || *published == 0.0) return {};
  return *predicted / *published - 1.0;
}

bool within(const std::optional<double>& error, double tolerance) {
  return error && std::abs(*error) <= tolerance + rounding;
}

bool is_order(const sim::Reference& reference) {
  return reference.kind == Kind::order || reference.kind == Kind::shape;
}

std::string where_text(const sim::Reference& reference) {
  std::string all = reference.variant;
  for (const auto& [key, value] : reference.at) {
    const std::size_t dot = key.rfind('.');
    all += (all.empty() ? "" : ", ") + key.substr(dot == std::string::npos ? 0 : dot + 1) + " " + value;
  }
  return all;
}

VerifyRow checked(const sim::Reference& reference, std::span<const sim::Run> runs) {
  VerifyRow row;
  row.reference = reference;
  row.what = is_order(reference) || reference.metric.empty() ? reference.expect : reference.metric;
  row.where = where_text(reference);
  row.published = reference.value;
  const Expression expression = Expression::read(row.what, reference);
  if (is_order(reference)) {
    const Value found = expression.holds(runs, reference.margin);
    row.predicted = found.predicted;
    row.naive = found.naive;
    row.problem = found.problem;
    row.naive_within = found.naive == 1.0;
    if (found.predicted) row.verdict = *found.predicted == 1.0 ? Verdict::within : Verdict::off;
  } else {
    const Value found = expression.value(runs);
    row.predicted = found.predicted;
    row.naive = found.naive;
    row.problem = found.problem;
    row.error = relative_error(row.predicted, row.published);
    row.naive_error = relative_error(row.naive, row.published);
    const double tolerance = reference.tolerance.value_or(0.0);
    row.naive_within = tolerance > 0.0 && within(row.naive_error, tolerance);
    if (row.predicted)
      row.verdict = tolerance <= 0.0               ? Verdict::printed_only
                    : within(row.error, tolerance) ? Verdict::within
                                                   : Verdict::off;
  }
  const bool judged = is_order(reference) || reference.tolerance.value_or(0.0) > 0.0;
  if (!judged && row.verdict == Verdict::missing) row.verdict = Verdict::printed_only;
  const bool bad = row.verdict == Verdict::off || row.verdict == Verdict::missing;
  row.fails = reference.role == Role::predicted && reference.certainty != sim::Reference::Certainty::recalled && bad;
  return row;
}

void count(const VerifyRow& row, Counts& counts) {
  ++counts.rows;
  if (row.reference.role == Role::fitted)
    ++counts.fitted;
  else if (row.reference.role == Role::input)
    ++counts.input;
  else if (row.verdict == Verdict::printed_only)
    ++counts.printed_only;
  else {
    ++counts.predicted;
    counts.within += row.verdict == Verdict::within;
    counts.naive_within += row.naive_within;
    counts.failing += row.fails;
    counts.recalled_off += row.verdict != Verdict::within && !row.fails;
  }
}

std::string percent(const std::optional<double>& share) {
  if (!share) return "-";
  const double value = *share * 100.0;
  return (value >= 0.0 ? "+" : "-") + significant(std::abs(value), std::abs(value) < 10.0 ? 2 : 3) + " %";
}

std::vector<std::string> cells(const VerifyRow& row) {
  const sim::Reference& reference = row.reference;
  const bool recalled = reference.certainty == sim::Reference::Certainty::recalled;
  std::string verdict =
      reference.role == Role::predicted ? verdict_names[static_cast<int>(row.verdict)] : "not counted";
  if (recalled && !row.fails && (row.verdict == Verdict::off || row.verdict == Verdict::missing))
    verdict += " (recalled)";
  if (is_order(reference)) {
    const auto truth = [](const std::optional<double>& value) {
      return value ? *value == 1.0 ? "holds" : "does not" : "-";
    };
    const std::string published = reference.margin > 0.0 ? "by " + percent(reference.margin) : "holds";
    return {row.what, row.where, truth(row.predicted), published, "", "", verdict, truth(row.naive)};
  }
  const auto amount = [&](const std::optional<double>& value) {
    return value ? amount_text(row.what, *value) : std::string("-");
  };
  const double tolerance = reference.tolerance.value_or(0.0);
  return {row.what,
          row.where,
          amount(row.predicted),
          amount(row.published),
          percent(row.error),
          tolerance > 0.0 ? fmt::format("{:.3g} %", tolerance * 100.0) : "-",
          verdict,
          percent(row.naive_error)};
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  rows += other.rows;
  fitted += other.fitted;
  input += other.input;
  printed_only += other.printed_only;
  predicted += other.predicted;
  within += other.within;
  naive_within += other.naive_within;
  recalled_off += other.recalled_off;
  failing += other.failing;
  return *this;
}

std::string summary(const Counts& counts) {
  std::string all = std::to_string(counts.rows) + " rows: " + std::to_string(counts.fitted) + " fitted, ";
  if (counts.input > 0) all += std::to_string(counts.input) + " input, ";
  all += "not counted; " + std::to_string(counts.predicted) + " predicted, " + std::to_string(counts.within) +
         " within; naive model " + std::to_string(counts.naive_within) + " within";
  if (counts.printed_only > 0) all += "; " + std::to_string(counts.printed_only) + " printed only";
  if (counts.recalled_off > 0) all += "; " + std::to_string(counts.recalled_off) + " recalled off, not failing";
  return all;
}

Verification verify(const sim::ScenarioInfo& scenario, std::span<const sim::Run> runs) {
  Verification verification;
  for (const sim::Reference& reference : scenario.references) {
    verification.rows.push_back(checked(reference, runs));
    count(verification.rows.back(), verification.counts);
  }
  verification.fitted_too_many =
      verification.counts.fitted > 0 && 3 * verification.counts.fitted >= verification.counts.rows;
  return verification;
}

std::string amount_text(const std::string& metric, double value) {
  if (metric.find('/') != std::string::npos) return significant(value, 3) + "x";
  const Scale scale = scale_of(metric, std::abs(value));
  return significant(value * scale.factor, 4) + (scale.unit.empty() ? "" : " " + scale.unit);
}

namespace {

bool is_expression(const VerifyRow& row) { return row.what.find_first_of("@>/") != std::string::npos; }

// An expression is long: it takes the place of two columns and, if need be, of several lines.
void add_expression(TextTable& table, const VerifyRow& row) {
  constexpr std::size_t expression_width = 61;
  std::vector<std::string> values = cells(row);
  const std::string text = row.what + (row.where.empty() ? "" : " at " + row.where);
  std::string lines = wrapped(text, expression_width, 2);
  if (lines.ends_with('\n')) lines.pop_back();
  values.erase(values.begin() + 1);
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    values[0] = lines.substr(begin, end - begin);
    table.row(values);
    values.assign(values.size(), "");
    begin = end + 1;
  }
}

VerifyTable empty_table(const std::string& title, const std::vector<const char*>& left) {
  VerifyTable part;
  part.title = title;
  for (const char* name : left) part.table.column(name, Side::left);
  for (const char* right : {"simulated", "published", "error", "tolerance"}) part.table.column(right);
  part.table.column("", Side::left);
  part.table.column("naive");
  return part;
}

}  // namespace

std::vector<VerifyTable> verify_tables(const Verification& verification) {
  constexpr std::pair<Role, const char*> parts[] = {{Role::predicted, "predicted"},
                                                    {Role::fitted, "fitted: constants were chosen on these rows"},
                                                    {Role::input, "input: taken from the paper"}};
  std::vector<VerifyTable> all;
  for (const auto& [role, title] : parts) {
    VerifyTable numbers = empty_table(title, {"row", "where"});
    VerifyTable expressions = empty_table(std::string(title) + ": orders and ratios", {"expression"});
    for (const VerifyRow& row : verification.rows) {
      if (row.reference.role != role) continue;
      VerifyTable& part = is_expression(row) ? expressions : numbers;
      if (is_expression(row))
        add_expression(part.table, row);
      else
        part.table.row(cells(row));
      if (!row.problem.empty()) part.problems.push_back(row.reference.place + ": " + row.problem);
    }
    for (VerifyTable* part : {&numbers, &expressions})
      if (!part->table.empty()) all.push_back(std::move(*part));
  }
  return all;
}

std::string verify_text(const sim::ScenarioInfo& scenario, const Verification& verification) {
  std::string all = scenario.name + " (" + scenario.file + ")\n";
  for (const VerifyTable& part : verify_tables(verification)) {
    all += "\n" + part.title + "\n" + part.table.text();
    for (const std::string& problem : part.problems) all += problem + "\n";
  }
  all += "\n" + summary(verification.counts) + "\n";
  if (verification.fitted_too_many) all += "fitted rows reach a third of all rows: this set proves too little\n";
  return all;
}

}  // namespace analysis

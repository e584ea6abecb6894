#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "analysis/calibration/collectives.hpp"
#include "models/base/defaults.hpp"
#include "models/base/error.hpp"

namespace analysis {
namespace {

using models::Bytes;
using models::CollectiveKind;
using models::Protocol;
using models::Seconds;

CollectiveKind kind_of(const std::string& name) {
  const auto* const end = std::end(models::collective_kind_names);
  const auto* const found = std::find(std::begin(models::collective_kind_names), end, name);
  models::ensure(found != end, "a measured kind is one of ours");
  return static_cast<CollectiveKind>(found - std::begin(models::collective_kind_names));
}

const models::Group& group_of(int gpus) {
  static std::map<int, models::Group> known;
  models::Group& group = known[gpus];
  for (int i = group.size(); i < gpus; ++i) {
    group.ranks.push_back(models::Rank{i});
    group.node.push_back(0);
  }
  return group;
}

const models::SwitchedRounds& rounds_of(std::string_view algorithm, CollectiveKind kind, int gpus) {
  static std::map<std::tuple<std::string, CollectiveKind, int>, models::SwitchedRounds> known;
  const auto found = known.find({std::string(algorithm), kind, gpus});
  if (found != known.end()) return found->second;
  const std::int64_t elements = std::int64_t{gpus} * gpus;
  const models::CollectiveAlgorithm made = models::made_by_default(*models::collectives().find(algorithm));
  return known
      .emplace(std::tuple(std::string(algorithm), kind, gpus),
               models::SwitchedRounds(made.schedule(group_of(gpus), {kind, elements, 0}), gpus, elements))
      .first->second;
}

// One message between two GPUs is what one member of an all-to-all of two sends, without a slice that stays.
Seconds predicted_message(const LinkModel& link, Bytes size, models::BytesPerSecond rate) {
  const models::PairwiseMessages& messages = link.protocols.pairwise;
  const bool small = size <= messages.small_up_to;
  const Protocol* protocol = link.protocols.find(small ? messages.small : messages.large);
  models::ensure(protocol != nullptr, "messages have a protocol");
  const Seconds start =
      small ? protocol->start_up + protocol->step : (protocol->start_up + protocol->step) * messages.start_up_share;
  return start + link.latency * 2.0 + size * protocol->wire / rate;
}

double mismatch(const LinkModel& link, const CollectiveRow& row) {
  const double ratio = predicted(link, row) / row.measured;
  return std::max(ratio, 1.0 / ratio) - 1.0;
}

// Sizes above 64 KiB weigh twice: there the bytes count.
double objective(const LinkModel& link, std::span<const CollectiveRow* const> rows) {
  double sum = 0.0, weights = 0.0;
  for (const CollectiveRow* row : rows) {
    const double weight = row->size > Bytes{65536.0} ? 2.0 : 1.0;
    sum += weight * mismatch(link, *row);
    weights += weight;
  }
  return sum / weights;
}

struct LinkParameter {
  std::string name;
  std::function<double&(LinkModel&)> of;
  double low, high;
};

// "simple.step", "copy", ...
LinkParameter link_parameter(const std::string& name) {
  const std::size_t dot = name.find('.');
  // At best 16 data flits to one header (NVLink packets carry up to 256 bytes behind 16).
  if (name == "goodput") return {name, [](LinkModel& l) -> double& { return l.goodput; }, 0.3, 16.0 / 17.0};
  if (name == "latency") return {name, [](LinkModel& l) -> double& { return l.latency.value; }, 1e-7, 1e-5};
  if (name == "copy") return {name, [](LinkModel& l) -> double& { return l.protocols.copy->value; }, 5e10, 5e12};
  if (name == "pairwise.start_up_share")
    return {name, [](LinkModel& l) -> double& { return l.protocols.pairwise.start_up_share; }, 0.05, 1.0};
  const std::string protocol = name.substr(0, dot), key = name.substr(dot + 1);
  const auto of = [protocol](LinkModel& link) -> Protocol& {
    for (Protocol& each : link.protocols.all)
      if (each.name == protocol) return each;
    throw models::Bug("the fit knows the link's protocols");
  };
  if (key == "start_up") return {name, [of](LinkModel& l) -> double& { return of(l).start_up.value; }, 1e-7, 1e-3};
  if (key == "step") return {name, [of](LinkModel& l) -> double& { return of(l).step.value; }, 1e-9, 1e-4};
  models::ensure(key == "wire", "the fit knows its parameters");
  // LL: half of every 8 bytes are flags; LL128: 8 of every 128 (NCCL, src/device/prims_ll.h and prims_ll128.h).
  const double least = protocol == "ll" ? 2.0 : protocol == "ll128" ? 128.0 / 120.0 : 1.0;
  return {name, [of](LinkModel& l) -> double& { return of(l).wire; }, least, 50.0};
}

LinkModel descended(LinkModel best, std::span<const CollectiveRow* const> rows,
                    const std::vector<LinkParameter>& parameters) {
  constexpr double first_factor = 1.6, last_factor = 1.004;
  double lowest = objective(best, rows);
  for (double factor = first_factor; factor > last_factor; factor = std::sqrt(factor)) {
    for (bool better = true; better;) {
      better = false;
      for (const LinkParameter& parameter : parameters) {
        for (const double change : {factor, 1.0 / factor}) {
          LinkModel trial = best;
          parameter.of(trial) = std::clamp(parameter.of(trial) * change, parameter.low, parameter.high);
          const double value = objective(trial, rows);
          if (value >= lowest * (1.0 - 1e-6)) continue;
          lowest = value;
          best = std::move(trial);
          better = true;
        }
      }
    }
  }
  return best;
}

// From several starts: every other parameter up or down by a third, the next ones by pairs, and so on.
LinkModel fitted(const LinkModel& start, std::span<const CollectiveRow* const> rows,
                 const std::vector<std::string>& names) {
  std::vector<LinkParameter> parameters;
  for (const std::string& name : names) parameters.push_back(link_parameter(name));
  LinkModel best = descended(start, rows, parameters);
  for (std::size_t period = 1; period < parameters.size(); period *= 2)
    for (const double change : {1.4, 1.0 / 1.4}) {
      LinkModel from = start;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        double& value = parameters[i].of(from);
        value =
            std::clamp(value * ((i / period) % 2 == 0 ? change : 1.0 / change), parameters[i].low, parameters[i].high);
      }
      const LinkModel reached = descended(from, rows, parameters);
      if (objective(reached, rows) < objective(best, rows)) best = reached;
    }
  return best;
}

struct Stage {
  const char* link;
  const char* set;
  const char* kind;
  Bytes up_to;  // start-ups are read off small messages
  std::vector<std::string> parameters;
};
const std::vector<Stage>& stages() {
  static const std::vector<std::string> rings{"goodput",         "latency",        "copy",       "ll.start_up",
                                              "ll.wire",         "ll128.start_up", "ll128.step", "ll128.wire",
                                              "simple.start_up", "simple.step"};
  static const std::vector<std::string> large{"goodput",         "copy",       "ll128.start_up", "ll128.wire",
                                              "simple.start_up", "simple.step"};
  static const std::vector<Stage> all = [] {
    constexpr Bytes any{1e12};
    std::vector<std::string> switched = rings;
    switched.insert(switched.end(), {"nvls.start_up", "nvls.wire"});
    return std::vector<Stage>{{"nvlink_a100", "NCCL 2.27 A100", "all_reduce", any, rings},
                              {"nvlink_a100", "vidur A100", "send_recv", {1048576.0}, {"pairwise.start_up_share"}},
                              {"nvlink_h100", "NCCL 2.29 H100", "all_reduce", any, switched},
                              {"nvlink_a100_vtrain", "vTrain A100", "all_reduce", any, large},
                              {"nvlink_v100", "vTrain V100", "all_reduce", any, large}};
  }();
  return all;
}

// vTrain has a row per MiB, vidur one per 8 KiB: counts of three leading binary digits make sizes log-spaced, so that
// every octave weighs the same.
bool is_round(const CollectiveRow& row) {
  const bool vidur = row.set.find("vidur") != std::string::npos;
  if (!vidur && row.set.find("vTrain") == std::string::npos) return true;
  auto count = static_cast<std::int64_t>(row.size.value / (vidur ? 8192.0 : 1048576.0));
  while (count >= 8 && count % 2 == 0) count /= 2;
  return count < 8;
}

}  // namespace

Seconds predicted(const LinkModel& link, const CollectiveRow& row) {
  models::Protocols protocols = link.protocols;
  protocols.link = link.bandwidth * (link.goodput * row.links);
  if (row.kind == "send_recv") return predicted_message(link, row.size, protocols.link);
  const CollectiveKind kind = kind_of(row.kind);
  const Bytes size = kind == CollectiveKind::all_to_all ? row.size * static_cast<double>(row.gpus) : row.size;
  const models::RoundsTime rounds = [&](std::string_view algorithm, const models::Pace& pace) {
    return rounds_of(algorithm, kind, row.gpus).time(size, link.latency * 2.0, protocols.link, pace);
  };
  const models::Choice choice =
      models::choose(protocols, kind, group_of(row.gpus), size, {"auto", "auto", 0, row.element}, rounds);
  return choice.pace.start_up + rounds(choice.algorithm, choice.pace);
}

std::vector<std::string> calibrated_links() {
  return {"nvlink_a100", "nvlink_h100", "nvlink_a100_vtrain", "nvlink_v100"};
}

void fit_links(LinkModels& links, const std::vector<CollectiveRow>& rows) {
  for (const Stage& stage : stages()) {
    std::vector<const CollectiveRow*> used;
    for (const CollectiveRow& row : rows)
      if (row.use == RowUse::fit && row.set == stage.set && row.kind == stage.kind && row.size <= stage.up_to &&
          is_round(row))
        used.push_back(&row);
    if (used.empty()) continue;
    LinkModel& link = links.at(stage.link);
    link = fitted(link, used, stage.parameters);
    // Measured on one device only: a share carries over.
    for (auto& [name, other] : links)
      other.protocols.pairwise.start_up_share = links.at("nvlink_a100").protocols.pairwise.start_up_share;
  }
}

std::string fitted_keys(const LinkModel& link) {
  std::string text = fmt::format("latency: {:.4g} us\ntransport: {{name: peer_to_peer, goodput: {:.4g}}}\nprotocols:\n",
                                 link.latency.value * 1e6, link.goodput);
  for (const Protocol& protocol : link.protocols.all)
    text += fmt::format("  {}: {{start_up: {:.4g} us, step: {:.4g} us, wire: {:.4g}{}}}\n", protocol.name,
                        protocol.start_up.value * 1e6, protocol.step.value * 1e6, protocol.wire,
                        protocol.in_switch ? ", in_switch: true" : "");
  const models::PairwiseMessages& messages = link.protocols.pairwise;
  text += fmt::format(
      "pairwise_messages: {{small: {}, large: {}, small_up_to: {:.0f} KiB, chunk: {:.0f} KiB, start_up_share: "
      "{:.4g}}}\n"
      "copy: {:.4g} GB/s\n",
      messages.small, messages.large, messages.small_up_to.value / 1024.0, messages.chunk.value / 1024.0,
      messages.start_up_share, link.protocols.copy ? link.protocols.copy->value / 1e9 : 0.0);
  return text;
}

}  // namespace analysis

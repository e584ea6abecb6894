#include "models/collective/protocol.hpp"

#include <algorithm>

#include "models/base/params.hpp"

namespace models {

const Protocol* Protocols::find(std::string_view name) const {
  const auto found = std::find_if(all.begin(), all.end(), [name](const Protocol& p) { return p.name == name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

Protocol read_protocol(const std::string& name, Params& params) {
  constexpr double most_wire = 100.0;
  Protocol protocol;
  protocol.name = name;
  protocol.start_up = params.seconds("start_up", not_negative, "once per collective, before the first transfer");
  protocol.step = params.seconds("step", not_negative, "of every round, beside the link's latency", Seconds{});
  protocol.wire = params.number("wire", {1.0, most_wire}, "link time per byte over that of plain stores", 1.0);
  protocol.in_switch = params.flag("in_switch", "the switch adds and copies: all-reduces only", false);
  return protocol;
}

PairwiseMessages read_pairwise(Params& params, const Protocols& protocols) {
  PairwiseMessages messages;
  messages.small = params.text("small", "protocol of small messages");
  messages.large = params.text("large", "protocol of large messages");
  for (const char* key : {"small", "large"}) {
    const std::string& name = key == std::string_view("small") ? messages.small : messages.large;
    if (!params.describing() && !name.empty() && protocols.find(name) == nullptr)
      params.report(key, "protocol '" + name + "' is not among this link's protocols");
  }
  messages.small_up_to = params.bytes("small_up_to", not_negative, "largest message that counts as small");
  messages.chunk =
      params.bytes("chunk", not_negative, "messages of this size and more are served peer by peer", Bytes{});
  messages.start_up_share = params.fraction(
      "start_up_share", {0.0, 1.0}, "share of the large protocol's start-up and first step that they cost", 1.0);
  return messages;
}

}  // namespace

Protocols read_protocols(Params& link) {
  Protocols protocols;
  if (!link.has("protocols")) return protocols;
  for (auto& [name, params] :
       link.named_sections("protocols", "of a collective library (NCCL) between GPUs that only such links join"))
    protocols.all.push_back(read_protocol(name, params));
  if (auto messages = link.optional_section("pairwise_messages", "all-to-all, send and receive over these protocols"))
    protocols.pairwise = read_pairwise(*messages, protocols);
  if (link.has("copy"))
    protocols.copy = link.bandwidth("copy", positive, "of a member's own slice inside its memory, per collective");
  if (link.has("channel"))
    protocols.channel = link.bandwidth("channel", positive, "most that one channel of the library carries");
  if (link.describing()) return {};
  return protocols;
}

std::string key_of(const Protocols& protocols) {
  std::string key;
  const auto add = [&key](double value) { key += shortest(value) + ','; };
  for (const Protocol& protocol : protocols.all) {
    key += protocol.name + (protocol.in_switch ? "*:" : ":");
    add(protocol.start_up.value);
    add(protocol.step.value);
    add(protocol.wire);
  }
  key += protocols.pairwise.small + ',' + protocols.pairwise.large + ',';
  add(protocols.pairwise.small_up_to.value);
  add(protocols.pairwise.chunk.value);
  add(protocols.pairwise.start_up_share);
  add(protocols.copy ? protocols.copy->value : -1.0);
  add(protocols.channel ? protocols.channel->value : -1.0);
  return key;
}

}  // namespace models

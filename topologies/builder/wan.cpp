// Sites of any shape, joined by long links. Every site has a gateway that is never the bottleneck: it is joined to the
// top of the site's network (or to host 0 of a shape without switches) as broadly as to all its long links together.
// Between sites a route takes the fewest long links.

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "models/base/params.hpp"
#include "topologies/builder/builder.hpp"

namespace topologies {

namespace {

struct Site {
  std::string name;
  BuilderSpec spec;
  std::size_t first_link = 0;  // place of its links in the whole spec's
};
struct LongCable {
  std::size_t a = 0, b = 0, link = 0;  // sites, place of the link
};
struct Plan {
  std::vector<Site> sites;
  std::vector<LongCable> cables;
};

// A site as part of the whole.
struct Placed {
  Blueprint made;  // of the site alone
  int first_host = 0;
  LinkId first_link = 0;
  std::map<VertexId, LinkId> gateway;  // by the site's own vertex: the cable from there to the gateway

  // Links from a host to the gateway, of the whole.
  void way_out(int host, std::vector<LinkId>& route) const {
    const std::size_t start = route.size();
    VertexId top = made.fabric.host(0);
    if (made.way_out)
      made.way_out(host, route);
    else
      made.fabric.append_route(host, 0, route);
    if (made.way_out) top = made.fabric.links()[static_cast<std::size_t>(route.back())].to;
    for (std::size_t i = start; i < route.size(); ++i) route[i] += first_link;
    route.push_back(gateway.at(top));
  }
};

struct Wan {
  std::vector<Placed> sites;
  std::vector<std::size_t> site_of;           // by host
  std::vector<LinkId> reverse;                // by link
  std::vector<std::vector<LinkId>> next;      // [from][to]: the first long link, or -1
  std::vector<std::vector<std::size_t>> via;  // [from][to]: the site where it ends
};

// The site's top vertices: where its ways out end.
std::vector<VertexId> tops(const Blueprint& site) {
  if (!site.way_out) return {site.fabric.host(0)};
  std::vector<VertexId> all;
  std::vector<LinkId> route;
  for (int host = 0; host < site.fabric.host_count(); ++host, route.clear()) {
    site.way_out(host, route);
    all.push_back(site.fabric.links()[static_cast<std::size_t>(route.back())].to);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Copies the site's graph into the whole; gives the first vertex.
VertexId place(const Site& site, Placed& placed, Fabric& whole) {
  const Fabric& fabric = placed.made.fabric;
  const auto first_vertex = static_cast<VertexId>(whole.vertices().size());
  const auto first_properties = static_cast<std::int32_t>(whole.properties().size());
  placed.first_host = whole.host_count();
  placed.first_link = static_cast<LinkId>(whole.links().size());
  for (const Vertex& vertex : fabric.vertices())
    if (vertex.kind == Vertex::Kind::host)
      whole.add_host(site.name + "." + vertex.name);
    else
      whole.add_switch(site.name + "." + vertex.name);
  for (const LinkProperties& properties : fabric.properties()) whole.add_properties(properties);
  std::int32_t cable = -1;
  for (const DirectedLink& link : fabric.links())
    if (std::exchange(cable, link.cable) != link.cable)
      whole.connect(first_vertex + link.from, first_vertex + link.to, first_properties + link.properties);
  return first_vertex;
}

// Fewest long links, ties to the first cable written.
void find_ways(const Plan& plan, const std::vector<LinkId>& there, Wan& wan) {
  const std::size_t count = plan.sites.size();
  wan.next.assign(count, std::vector<LinkId>(count, -1));
  wan.via.assign(count, std::vector<std::size_t>(count, 0));
  for (std::size_t to = 0; to < count; ++to) {
    std::vector<std::size_t> layer{to}, following;
    for (; !layer.empty(); layer.swap(following), following.clear())
      for (const std::size_t here : layer)
        for (std::size_t i = 0; i < plan.cables.size(); ++i) {
          const LongCable& cable = plan.cables[i];
          if (cable.a != here && cable.b != here) continue;
          const std::size_t from = cable.a == here ? cable.b : cable.a;
          if (from == to || wan.next[from][to] >= 0) continue;
          wan.next[from][to] = cable.a == here ? wan.reverse[static_cast<std::size_t>(there[i])] : there[i];
          wan.via[from][to] = here;
          following.push_back(from);
        }
  }
}

void append(const Wan& wan, int from, int to, std::vector<LinkId>& route) {
  std::size_t here = wan.site_of[static_cast<std::size_t>(from)];
  const std::size_t goal = wan.site_of[static_cast<std::size_t>(to)];
  const Placed &first = wan.sites[here], &last = wan.sites[goal];
  if (here == goal) {
    const std::size_t start = route.size();
    first.made.fabric.append_route(from - first.first_host, to - first.first_host, route);
    for (std::size_t i = start; i < route.size(); ++i) route[i] += first.first_link;
    return;
  }
  if (wan.next[here][goal] < 0) return;
  first.way_out(from - first.first_host, route);
  for (; here != goal; here = wan.via[here][goal]) route.push_back(wan.next[here][goal]);
  std::vector<LinkId> out;
  last.way_out(to - last.first_host, out);
  for (auto link = out.rbegin(); link != out.rend(); ++link)
    route.push_back(wan.reverse[static_cast<std::size_t>(*link)]);
}

Blueprint laid_out(const Plan& plan, std::span<const LinkProperties> links) {
  Blueprint made;
  Fabric& whole = made.fabric;
  const auto wan = std::make_shared<Wan>();
  std::vector<BytesPerSecond> long_bandwidth(plan.sites.size());
  for (const LongCable& cable : plan.cables)
    for (const std::size_t end : {cable.a, cable.b}) long_bandwidth[end] += links[cable.link].bandwidth;
  std::vector<VertexId> gateways;
  int first_node = 0;
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    const Site& site = plan.sites[i];
    Placed placed;
    placed.made = site.spec.build(links.subspan(site.first_link, site.spec.links.size()));
    const VertexId first_vertex = place(site, placed, whole);
    for (const int node : placed.made.node) made.node.push_back(first_node + node);
    first_node += site.spec.nodes;
    wan->site_of.insert(wan->site_of.end(), placed.made.node.size(), i);
    gateways.push_back(whole.add_switch(site.name + ".gateway"));
    if (long_bandwidth[i].value > 0.0) {
      LinkProperties broad;
      broad.name = "gateway";
      broad.bandwidth = long_bandwidth[i];
      const std::int32_t properties = whole.add_properties(std::move(broad));
      for (const VertexId top : tops(placed.made))
        placed.gateway.emplace(top, whole.connect(first_vertex + top, gateways[i], properties));
    }
    wan->sites.push_back(std::move(placed));
  }
  std::map<std::size_t, std::int32_t> properties;  // by place of the link
  std::vector<LinkId> there;
  for (const LongCable& cable : plan.cables) {
    if (properties.count(cable.link) == 0) properties[cable.link] = whole.add_properties(links[cable.link]);
    there.push_back(whole.connect(gateways[cable.a], gateways[cable.b], properties[cable.link]));
  }
  for (LinkId id = 0; static_cast<std::size_t>(id) < whole.links().size(); ++id)
    wan->reverse.push_back(whole.reverse(id));
  find_ways(plan, there, *wan);
  whole.set_route_rule([wan = std::shared_ptr<const Wan>(wan)](int from, int to, std::vector<LinkId>& route) {
    append(*wan, from, to, route);
  });
  return made;
}

constexpr std::size_t most_sites = 256;
constexpr std::array<std::string_view, 2> layouts{"full", "hub"};

void read_sites(Plan& plan, models::Params& params, BuilderSpec& spec) {
  for (models::Params& entry : params.list("sites", "the sites, each {shape: ...} with that shape's keys")) {
    Site site;
    site.name = entry.text("name", "name of the site; default: site0, site1 ...",
                           entry.describing() ? "" : "site" + std::to_string(plan.sites.size()));
    const std::int64_t copies =
        entry.count("copies", {1.0, static_cast<double>(most_sites)}, "that many such sites, NAME-0, NAME-1 ...", 1);
    site.spec = entry.plugin_beside("shape", site_builders(), "how the hosts of the site are joined");
    if (params.describing()) return;
    if (!site.spec.build) continue;
    site.first_link = spec.links.size();
    for (LinkWish link : site.spec.links) {
      link.name = site.name + "." + link.name;
      spec.links.push_back(std::move(link));
    }
    for (std::int64_t copy = 0; copy < copies && plan.sites.size() < most_sites; ++copy) {
      plan.sites.push_back(site);
      if (copies > 1) plan.sites.back().name += "-" + std::to_string(copy);
      for (std::size_t other = 0; other + 1 < plan.sites.size(); ++other)
        if (plan.sites[other].name == plan.sites.back().name)
          return entry.report("name", "two sites are named '" + plan.sites.back().name + "'");
    }
  }
}

std::optional<std::size_t> site_named(const Plan& plan, models::Params& params, std::string_view key,
                                      const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    if (plan.sites[i].name == name) return i;
    names.push_back(plan.sites[i].name);
  }
  params.report(key, "there is no site '" + name + "'", models::known_hint(name, names));
  return std::nullopt;
}

// cables: [{between: "paris--rome rome--oslo", link: ...}]; a link that is left out is inter_site.
void read_cables(Plan& plan, models::Params& params, BuilderSpec& spec) {
  for (models::Params& entry :
       params.list("cables", "long links one by one, in place of layout: {between: \"a--b\"}")) {
    const std::string between = entry.text("between", "pairs of sites: a--b, separated by spaces");
    std::size_t link = 0;
    if (entry.has("link")) {
      link = spec.links.size();
      spec.links.push_back(read_link(entry, "link", "the link of these pairs; default: inter_site"));
    }
    for (std::size_t start = between.find_first_not_of(' '); start != std::string::npos && !entry.describing();) {
      const std::size_t end = std::min(between.find(' ', start), between.size());
      const std::string pair = between.substr(start, end - start);
      start = between.find_first_not_of(' ', end);
      const std::size_t bar = pair.find("--");
      if (bar == std::string::npos) {
        entry.report("between", "'" + pair + "' is not a pair", "write a--b");
        continue;
      }
      const auto a = site_named(plan, entry, "between", pair.substr(0, bar));
      const auto b = site_named(plan, entry, "between", pair.substr(bar + 2));
      if (a && b && *a == *b) entry.report("between", "'" + pair + "' joins a site with itself");
      if (a && b && *a != *b) plan.cables.push_back({*a, *b, link});
    }
  }
}

void read_layout(Plan& plan, models::Params& params, BuilderSpec& spec) {
  const bool hub = params.choice("layout", layouts, "full: each site to each; hub: all to one site", 0) == 1;
  const std::string centre = params.text("hub", "the site in the middle; default: the first", "");
  if (params.has("cables")) read_cables(plan, params, spec);
  if (params.describing() || params.has("cables")) return;
  std::size_t middle = 0;
  if (!centre.empty()) middle = site_named(plan, params, "hub", centre).value_or(0);
  for (std::size_t a = 0; a < plan.sites.size(); ++a)
    for (std::size_t b = a + 1; b < plan.sites.size(); ++b)
      if (!hub || a == middle || b == middle) plan.cables.push_back({a, b, 0});
}

}  // namespace

BuilderSpec read_wan(models::Params& params) {
  const auto plan = std::make_shared<Plan>();
  BuilderSpec spec;
  spec.links = {read_link(params, "inter_site", "each long link between two sites; its latency is one way")};
  read_sites(*plan, params, spec);
  read_layout(*plan, params, spec);
  if (params.describing()) return spec;
  spec.links[0].used =
      std::any_of(plan->cables.begin(), plan->cables.end(), [](const LongCable& cable) { return cable.link == 0; });
  double hosts = 0.0;
  spec.key = "wan";
  for (const Site& site : plan->sites) {
    hosts += site.spec.hosts;
    spec.key += " {" + site.name + ": " + site.spec.key + "}";
    for (const Omission& omission : site.spec.not_modelled)
      if (std::none_of(spec.not_modelled.begin(), spec.not_modelled.end(),
                       [&](const Omission& known) { return known.effect == omission.effect; }))
        spec.not_modelled.push_back(omission);
  }
  for (const LongCable& cable : plan->cables)
    spec.key += ' ' + std::to_string(cable.a) + '-' + std::to_string(cable.b) + ':' + std::to_string(cable.link);
  if (plan->sites.empty())
    params.report("sites", "the WAN has no sites", "write sites: [{shape: star, nodes: 4, link: ...}]");
  if (hosts > most_hosts) params.report("sites", "the sites together have more than 1048576 hosts");
  for (const Site& site : plan->sites) {
    spec.hosts += hosts > most_hosts ? 0 : site.spec.hosts;
    spec.nodes += hosts > most_hosts ? 0 : site.spec.nodes;
  }
  spec.description = std::to_string(plan->sites.size()) + " sites, " + std::to_string(spec.hosts) + " hosts";
  spec.not_modelled.push_back({"a site's gateway is as broad as its long links and adds no latency", "optimistic"});
  if (!plan->sites.empty())
    spec.build = [plan = std::shared_ptr<const Plan>(plan)](std::span<const LinkProperties> links) {
      return laid_out(*plan, links);
    };
  return spec;
}

}  // namespace topologies

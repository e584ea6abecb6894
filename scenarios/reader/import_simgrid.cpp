// SimGrid's platform files, version 4: zones, hosts, routers, links, routes and flat clusters become one graph. A link
// that several routes share keeps its place: where they meet is one vertex. What a graph cannot say is left out, by
// name.

#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

#include "models/base/units.hpp"
#include "scenarios/reader/graph_writer.hpp"
#include "scenarios/reader/import_xml.hpp"

namespace scenarios {

namespace {

using models::Node;

constexpr std::int64_t most_hosts = 65'536;

struct Link {
  std::string name;
  double bandwidth = 0.0, latency = 0.0;  // B/s, s
  bool half = true;                       // SimGrid's SHARED: both directions share the rate
  models::Place place;
  int a = -1, b = -1;  // ends, once a route has used it
  int medium = -1;     // or the switch that stands for it: three and more ends
};
struct Path {
  int from = 0, to = 0;
  std::vector<int> links;
  models::Place place;
};

double factor(const XmlElement& element, std::string_view key, const std::string& unit) {
  static const std::map<std::string, double, std::less<>> factors{
      {"", 1.0},       {"Bps", 1.0},    {"kBps", 1e3},      {"KBps", 1e3},      {"MBps", 1e6},   {"GBps", 1e9},
      {"TBps", 1e12},  {"bps", 0.125},  {"kbps", 125.0},    {"Kbps", 125.0},    {"Mbps", 125e3}, {"Gbps", 125e6},
      {"Tbps", 125e9}, {"KiBps", 1024}, {"MiBps", 1 << 20}, {"GiBps", 1 << 30}, {"s", 1.0},      {"ms", 1e-3},
      {"us", 1e-6},    {"ns", 1e-9},    {"ps", 1e-12}};
  const auto found = factors.find(unit);
  if (found == factors.end())
    throw models::Error(element.place, fmt::format("'{}' of <{}> has the unknown unit '{}'", key, element.name, unit));
  return found->second;
}

double amount(const XmlElement& element, std::string_view key) {
  const std::string text = element.required(key);
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || value < 0.0)
    throw models::Error(element.place, fmt::format("'{}' of <{}> is not an amount: '{}'", key, element.name, text));
  return value * factor(element, key, std::string(end, text.data() + text.size()));
}

// "1-29,58,60" of a cluster.
std::vector<std::int64_t> radical(const XmlElement& cluster) {
  std::vector<std::int64_t> all;
  const std::string text = cluster.required("radical") + ",";
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t comma = text.find(',', start);
    const std::string part = text.substr(start, comma - start);
    const std::size_t dash = part.find('-');
    const auto low = models::read_number(part.substr(0, dash));
    const auto high = dash == std::string::npos ? low : models::read_number(part.substr(dash + 1));
    if (!low || !high || *low < 0.0 || *high < *low || *high - *low >= static_cast<double>(most_hosts) || *high > 1e9)
      throw models::Error(cluster.place, fmt::format("'{}' is not a range of hosts", part), "radical=\"0-15\"");
    for (auto i = static_cast<std::int64_t>(*low); i <= static_cast<std::int64_t>(*high); ++i) all.push_back(i);
    start = comma + 1;
  }
  return all;
}

class Platform {
 public:
  explicit Platform(const XmlElement& root) : graph_("SimGrid platform", root.place) {
    for (const XmlElement& child : root.children) read(child);
    if (hosts_ == 0) throw models::Error(root.place, "the platform has no hosts");
    read_routes();
    find_media();
    for (const Path& path : paths_)
      if (path.links.size() == 1) lay(path);
    for (const Path& path : paths_)
      if (path.links.size() != 1) lay(path);
    write();
  }
  Node graph() const { return graph_.graph(); }

 private:
  int vertex(const std::string& name, const models::Place& place) {
    names_.push_back(name);
    same_.push_back(static_cast<int>(same_.size()));
    if (!name.empty() && !number_.emplace(name, same_.back()).second)
      throw models::Error(place, fmt::format("'{}' stands twice in the platform", name));
    return same_.back();
  }
  int host(const std::string& name, const models::Place& place) {
    if (++hosts_ > most_hosts) throw models::Error(place, fmt::format("more than {} hosts", most_hosts));
    graph_.start_node();
    graph_.add_host(name);
    is_host_.insert(vertex(name, place));
    return same_.back();
  }
  int named(const XmlElement& element, std::string_view key) const {
    const std::string name = element.required(key);
    const auto found = number_.find(name);
    if (found == number_.end())
      throw models::Error(element.place, fmt::format("'{}' is neither a host nor a router of the platform", name));
    return found->second;
  }

  void read(const XmlElement& element) {
    const std::string& kind = element.name;
    if (kind == "zone" || kind == "AS") {
      for (const XmlElement& child : element.children) read(child);
    } else if (kind == "host") {
      host(element.required("id"), element.place);
    } else if (kind == "router") {
      vertex(element.required("id"), element.place);
    } else if (kind == "link") {
      read_link(element);
    } else if (kind == "cluster") {
      read_cluster(element);
    } else if (kind == "route" || kind == "zoneRoute" || kind == "ASroute") {
      routes_.push_back(&element);
    } else if (kind != "prop" && kind != "config") {
      throw models::Error(element.place, fmt::format("<{}> of SimGrid's platforms cannot be imported", kind),
                          "known: zone, host, router, link, route, zoneRoute, cluster");
    }
  }
  void read_link(const XmlElement& element) {
    Link link;
    link.name = element.required("id");
    link.bandwidth = amount(element, "bandwidth");
    link.latency = element.attribute("latency").empty() ? 0.0 : amount(element, "latency");
    const std::string policy = element.attribute("sharing_policy");
    link.half = policy.empty() || policy == "SHARED";
    if (policy == "FATPIPE") left_out_.insert("that flows do not share a FATPIPE link");
    link.place = element.place;
    if (!(link.bandwidth > 0.0)) throw models::Error(element.place, "a link's bandwidth is above 0");
    if (!link_number_.emplace(link.name, static_cast<int>(links_.size())).second)
      throw models::Error(element.place, fmt::format("link '{}' stands twice in the platform", link.name));
    links_.push_back(link);
  }
  // Hosts on a switch, the switch on the cluster's router by the backbone.
  void read_cluster(const XmlElement& element) {
    const std::string id = element.required("id"), prefix = element.attribute("prefix"),
                      suffix = element.attribute("suffix");
    const std::string shape = element.attribute("topology");
    if (!shape.empty() && shape != "FLAT")
      throw models::Error(element.place, fmt::format("a cluster of topology {} cannot be imported", shape));
    Link up;
    up.bandwidth = amount(element, "bw");
    up.latency = amount(element, "lat");
    up.half = element.attribute("sharing_policy") == "SHARED";
    up.place = element.place;
    const std::string router_id = element.attribute("router_id");
    const int router = vertex(router_id.empty() ? prefix + id + "_router" + suffix : router_id, element.place);
    int centre = router;
    if (!element.attribute("bb_bw").empty()) {
      centre = vertex(id + ".switch", element.place);
      Link backbone;
      backbone.bandwidth = amount(element, "bb_bw");
      backbone.latency = element.attribute("bb_lat").empty() ? 0.0 : amount(element, "bb_lat");
      backbone.half = element.attribute("bb_sharing_policy") != "SPLITDUPLEX";
      backbone.place = element.place;
      join(centre, router, backbone, 1.0);
      left_out_.insert("the load of traffic inside a cluster on its backbone");
    }
    for (const std::int64_t i : radical(element))
      join(host(fmt::format("{}{}{}", prefix, i, suffix), element.place), centre, up, 1.0);
  }
  void read_routes() {
    for (const XmlElement* route : routes_) {
      const bool zones = route->name != "route";
      Path path{named(*route, zones ? "gw_src" : "src"), named(*route, zones ? "gw_dst" : "dst"), {}, route->place};
      for (const XmlElement& part : route->children) {
        const auto found = link_number_.find(part.required("id"));
        if (found == link_number_.end())
          throw models::Error(part.place, fmt::format("there is no link '{}'", part.required("id")));
        path.links.push_back(found->second);
      }
      if (path.from != path.to) paths_.push_back(path);
    }
  }
  // A link that is the whole way between three or more vertices is a medium that they share.
  void find_media() {
    std::map<int, std::set<int>> ends;
    for (const Path& path : paths_)
      if (path.links.size() == 1) ends[path.links[0]].insert({path.from, path.to});
    for (const auto& [link, vertices] : ends) {
      if (vertices.size() < 3) continue;
      Link& shared = links_[static_cast<std::size_t>(link)];
      shared.medium = vertex("link:" + shared.name, shared.place);
      left_out_.insert("that all ends of a shared medium share one rate: each has a cable of it");
    }
  }

  int root(int v) const {
    while (same_[static_cast<std::size_t>(v)] != v) v = same_[static_cast<std::size_t>(v)];
    return v;
  }
  // Two vertices are one, unless both have names.
  bool merge(int a, int b) {
    a = root(a);
    b = root(b);
    if (a == b) return true;
    if (!names_[static_cast<std::size_t>(a)].empty() && !names_[static_cast<std::size_t>(b)].empty()) return false;
    if (names_[static_cast<std::size_t>(a)].empty()) std::swap(a, b);
    same_[static_cast<std::size_t>(b)] = a;
    return true;
  }
  void join(int a, int b, const Link& link, double share_of_latency) {
    cables_.push_back({a, b, link, share_of_latency});
  }
  void attach(int v, Link& medium) {
    if (attached_.insert({root(v), medium.medium}).second) join(v, medium.medium, medium, 0.5);
  }

  void lay(const Path& path) {
    int here = path.from;
    if (path.links.empty()) {  // one place, by two names
      Link none;
      none.bandwidth = 1e12;  // no bottleneck
      none.half = false;
      none.place = path.place;
      join(path.from, path.to, none, 1.0);
    }
    for (std::size_t i = 0; i < path.links.size(); ++i) {
      Link& link = links_[static_cast<std::size_t>(path.links[i])];
      const bool last = i + 1 == path.links.size();
      if (link.medium >= 0) {
        attach(here, link);
        here = link.medium;
        if (last) attach(path.to, link);
        continue;
      }
      if (link.a < 0) {
        link.a = here;
        link.b = last ? path.to : vertex("", path.place);
        here = link.b;
        continue;
      }
      int near = link.a, far = link.b;
      const bool turned = root(far) == root(here) || (last && root(near) == root(path.to) && root(near) != root(here));
      if (turned) std::swap(near, far);
      if (!merge(here, near) || (last && !merge(far, path.to))) {
        left_out_.insert("that some routes share a link: each has a cable of it");
        far = last ? path.to : vertex("", path.place);
        join(here, far, link, 1.0);
      }
      here = far;
    }
  }

  void write() {
    for (const Link& link : links_)
      if (link.a >= 0) join(link.a, link.b, link, 1.0);
    bool forwards = false;
    const auto name = [&](int v) {
      v = root(v);
      const std::string& given = names_[static_cast<std::size_t>(v)];
      return given.empty() ? fmt::format("junction{}", v) : given;
    };
    std::set<int> used;
    for (const auto& cable : cables_) used.insert({root(cable.a), root(cable.b)});
    for (const int v : used)
      if (is_host_.count(v) == 0) graph_.add_switch(name(v));
    for (const auto& cable : cables_) {
      if (root(cable.a) == root(cable.b)) continue;
      forwards = forwards || (is_host_.count(root(cable.a)) == 1 && is_host_.count(root(cable.b)) == 1);
      std::vector<std::pair<std::string, std::string>> link{
          {"bandwidth", models::shortest(cable.link.bandwidth) + " B/s"},
          {"latency", models::shortest(cable.link.latency * cable.share_of_latency) + " s"}};
      if (cable.link.half) link.emplace_back("duplex", "half");
      graph_.join(name(cable.a), name(cable.b), mapping_node(link, cable.link.place), cable.link.place);
    }
    if (forwards) graph_.let_hosts_forward();
    for (const std::string& effect : left_out_) graph_.leave_out_cost(effect);
  }

  struct Cable {
    int a, b;
    Link link;
    double share_of_latency;
  };
  GraphWriter graph_;
  std::vector<std::string> names_;  // by vertex; empty: a junction inside a route
  std::vector<int> same_;           // union-find
  std::map<std::string, int> number_, link_number_;
  std::set<int> is_host_;
  std::vector<Link> links_;
  std::vector<const XmlElement*> routes_;
  std::vector<Path> paths_;
  std::vector<Cable> cables_;
  std::set<std::pair<int, int>> attached_;
  std::set<std::string> left_out_;
  std::int64_t hosts_ = 0;
};

}  // namespace

Node graph_of_simgrid(const XmlElement& platform) { return Platform(platform).graph(); }

}  // namespace scenarios

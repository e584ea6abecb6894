// The language told from its own declarations: schema, explain, list, new.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "scenarios/app/catalogue.hpp"
#include "scenarios/reader/language.hpp"
#include "scenarios/reader/scenario.hpp"

TEST_CASE("every declared key has a meaning and can be explained", "[language]") {
  std::set<std::string> seen;
  for (const models::Declaration& one : scenarios::declarations()) {
    INFO(one.path);
    CHECK(seen.insert(one.path).second);
    CHECK_FALSE(one.type.empty());
    CHECK_FALSE(one.help.empty());
    if (one.type != "row") CHECK(scenarios::explanation(one.path).find(one.help) != std::string::npos);
  }
  for (const char* key : {"training.batch.micro", "training.bucket", "cluster.gpu", "sweep", "collective.sizes",
                          "expect.status", "reference[].metric"})
    CHECK(seen.count(key) == 1);
}

TEST_CASE("an unknown key is answered with the nearest", "[language]") {
  CHECK_THROWS_WITH(scenarios::explanation("training.bukcet"), Catch::Contains("training.bucket"));
}

TEST_CASE("the schema is JSON and knows the sections", "[language]") {
  const nlohmann::json schema = nlohmann::json::parse(scenarios::schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["properties"]["training"]["properties"]["batch"]["properties"].contains("micro"));
  CHECK(schema["properties"]["cluster"]["properties"].contains("topology"));
  CHECK(schema["properties"].contains("sweep"));
}

TEST_CASE("the schema knows units, ranges and that a scenario has one job", "[language]") {
  const nlohmann::json schema = nlohmann::json::parse(scenarios::schema());
  const nlohmann::json training = schema["properties"]["training"]["properties"];
  const auto matches = [](const nlohmann::json& key, const std::string& text) {
    return std::regex_match(text, std::regex(key["anyOf"][1]["pattern"].get<std::string>()));
  };
  for (const char* legal : {"25 MiB", "1e3 kB", ".5 GB", "1_000 B", "200MB"}) CHECK(matches(training["bucket"], legal));
  for (const char* wrong : {"25", "25 s", "MiB", "25 MiB/s", "two MB"}) CHECK_FALSE(matches(training["bucket"], wrong));
  CHECK(training["bucket"]["anyOf"][0]["const"] == 0);
  const nlohmann::json micro = training["batch"]["properties"]["micro"];
  CHECK(matches(micro, "64 samples"));
  CHECK_FALSE(matches(micro, "64 MB 3"));
  CHECK(micro["anyOf"][0]["type"] == "integer");
  CHECK(micro["anyOf"][0]["minimum"] == 1);
  CHECK(micro["anyOf"][0]["maximum"] == 1e9);
  CHECK(schema["not"]["required"] == nlohmann::json::array({"training", "collective"}));
}

TEST_CASE("what `new` writes is a legal scenario", "[language]") {
  for (const std::string kind : {"training", "collective"}) {
    const std::string path = BINARY_DIR "/new_" + kind + ".yaml";
    std::ofstream(path) << scenarios::template_of(kind);
    CHECK_NOTHROW(scenarios::read(path, {}));
  }
}

TEST_CASE("names of presets and plug-ins are told apart by path", "[language]") {
  CHECK(scenarios::name_key({"training", "algorithm"}) == "name");
  CHECK(scenarios::name_key({"training", "model"}) == "preset");
  CHECK(scenarios::name_key({"cluster", "topology", "inter_node"}) == "preset");
  CHECK(scenarios::name_key({"training", "steps"}).empty());
  CHECK(scenarios::name_key({"no", "such", "key"}).empty());
}

TEST_CASE("a section's explanation lists the keys below it, a key of several plug-ins is explained once",
          "[language]") {
  const std::string topology = scenarios::explanation("cluster.topology");
  CHECK(topology.find("keys below it:\n    shape") != std::string::npos);
  CHECK(topology.find("    nodes (star") != std::string::npos);
  const std::string rate = scenarios::explanation("training.algorithm.learning_rate");
  CHECK(rate.find("training.algorithm.learning_rate (") == 0);
  CHECK(rate.find("training.algorithm.learning_rate (", 1) == std::string::npos);
  CHECK(rate.find("onebit_adam") != std::string::npos);
  CHECK(rate.find("    peak") != std::string::npos);
}

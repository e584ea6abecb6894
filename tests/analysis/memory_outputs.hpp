#pragma once
// Outputs kept in memory.

#include <map>
#include <string>

#include "analysis/report/report.hpp"

struct MemoryOutputs : analysis::Outputs {
  std::string printed;
  std::map<std::string, std::string> files;
  void print(std::string_view text) override { printed += text; }
  void file(std::string_view name, std::string_view content) override {
    files[std::string(name)] = std::string(content);
  }
};

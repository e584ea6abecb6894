#pragma once
// Finished points of a sweep, one file each, so that the next `sweep` goes on where this one stopped.

#include <filesystem>
#include <optional>
#include <string>

#include "scenarios/app/run_each.hpp"

namespace scenarios {

class RunFolder : public KeptRuns {
 public:
  // `identity`: everything beside the point that a run depends on (program, scenario file, overrides, limits).
  RunFolder(std::filesystem::path folder, std::string identity);

  std::optional<sim::Run> find(const Point& point) const override;
  void keep(const Point& point, const sim::Run& run) override;

 private:
  std::string identity(const Point& point) const;
  std::filesystem::path path(const std::string& identity) const;

  std::filesystem::path folder_;
  std::string identity_;
};

}  // namespace scenarios

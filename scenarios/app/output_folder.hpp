#pragma once
// --out: reports are written under temporary names and renamed together, so a killed run or a full disk leaves the
// former result whole.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"
#include "models/base/error.hpp"

namespace scenarios {

class OutputFolder : public analysis::Outputs {
 public:
  // Makes the folder and tries a file in it; models::Error when that fails.
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder() override;  // what was not committed goes
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void print(std::string_view text) override;
  void file(std::string_view name, std::string_view content) override;
  void commit();  // also throws what kept print() from printing, once the files are safe

  // Committed files, in the order of writing.
  const std::vector<std::filesystem::path>& files() const { return committed_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> staged_;  // temporary name, name
  std::vector<std::filesystem::path> committed_;
  std::optional<models::Error> unprinted_;
};

// Writes under a temporary name beside `path`, then renames; straight into a device or a pipe. models::Error, naming
// `path`, when it cannot.
void replace_file(const std::filesystem::path& path, std::string_view content);
// To standard output, at once; models::Error when it cannot be written.
void print(std::string_view text);
// To standard error; when nobody can be told, nobody is.
void say(std::string_view text);

}  // namespace scenarios

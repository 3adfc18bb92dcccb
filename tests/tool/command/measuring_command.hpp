// A command and a directory in which it measures.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// A test of commands that measure in one directory, without a profile.
class measuring_command : public testing::Test {
 protected:
  /// It measures in a new directory below that place.
  explicit measuring_command(const std::filesystem::path& below = usual_place()) : measured_{below} {
    setenv("FRESHET_PROFILE", "none", 1);
  }

  [[nodiscard]] std::string directory() const { return measured_.path(); }
  [[nodiscard]] std::string file(const std::string& name) const { return measured_.path() / name; }
  /// What the command prints as JSON. It must succeed.
  [[nodiscard]] nlohmann::json json_of(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "-"});
    const ended done = freshet_.run(std::move(words));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  }

  [[nodiscard]] bool nothing_left() const { return std::filesystem::is_empty(measured_.path()); }

  /// Whether a trial has begun to write.
  [[nodiscard]] bool has_trial_file() const {
    std::error_code ignored;
    for (std::filesystem::recursive_directory_iterator entry{directory(), ignored}, end; entry != end;
         entry.increment(ignored))
      if (entry->path().filename().string().starts_with("trial-")) return true;
    return false;
  }

  /// Whether the command's help ends with a call of it that users can copy.
  [[nodiscard]] testing::AssertionResult helps_with_an_example(const std::string& command) const {
    const ended help = freshet_.run({"help", command, "--json"});
    if (help.exit_code != 0) return testing::AssertionFailure() << help.err;
    const std::string notes = nlohmann::json::parse(help.out).at("commands").at(0).at("notes");
    const std::size_t examples = notes.rfind("\nExample");
    if (examples != std::string::npos && notes.find("\n  freshet " + command + ' ', examples) != std::string::npos)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << notes;
  }

  freshet_command freshet_;

 private:
  temporary_directory measured_;
};

}  // namespace freshet::test

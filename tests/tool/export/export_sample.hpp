// Records of an invented run, and helpers to call the tools that read its exports.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tool/store/record.hpp"

namespace freshet::test {

using tool::io_class;
using tool::record;
using tool::run;
using tool::trial_validity;

[[nodiscard]] inline run sample_run() {
  run sample = make_run(7);
  sample.words = "freshet bench .";
  sample.started = "2026-03-01T12:34:56Z";
  sample.env.machine = "x86_64, A CPU";
  sample.env.kernel = "6.1";
  sample.env.cpus = 2;
  sample.env.directory = "/some/where";
  sample.env.version = "1.2.3";
  return sample;
}

/// 100 MB that took `seconds`, in blocks of 1 MB that took as long each.
[[nodiscard]] inline record sample(const std::string& method, io_class measured_class, double seconds) {
  const tool::trial_plan plan{
      .method = method, .block = 1'000'000, .depth = 1, .measured_class = measured_class, .size = 100'000'000};
  record trial = keep({make_trial(plan, seconds, 0, {.disk = 2, .cpu = seconds / 4})}).front();
  trial.id = trial.run = 0;
  trial.label = method + " 1 MB";
  tool::trial_result& figures = trial.figures;
  figures.started = "2026-03-01T12:35:00Z";
  figures.cpu_process = seconds / 10;
  figures.write_calls = 100;
  figures.device_writes = 50;
  for (int call = 0; call < 100; ++call) figures.block_latency.add(static_cast<std::uint64_t>(seconds * 1e7));
  return trial;
}

[[nodiscard]] inline record invalid(record trial, const std::string& reason) {
  trial.figures.validity = trial_validity::invalid;
  trial.figures.reasons = {reason};
  return trial;
}

/// Whether PATH leads to a program of that name.
[[nodiscard]] inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// Runs `words` in a shell, in `directory`; what it prints goes to the file `printed` there. Returns its exit code.
inline int run_in(const std::filesystem::path& directory, const std::string& words) {
  const std::string line = "cd '" + directory.string() + "' && ( " + words + " ) >printed 2>&1 </dev/null";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline void put(const std::filesystem::path& path, std::string_view text) { std::ofstream{path} << text; }

[[nodiscard]] inline nlohmann::json parsed(const std::filesystem::path& path) {
  std::ifstream in{path};
  return nlohmann::json::parse(in);
}

/// "object", "array", "string", "whole", "fraction", "boolean", "null".
[[nodiscard]] inline std::string type_of(const nlohmann::json& value) {
  if (value.is_number_integer()) return "whole";
  return value.is_number_float() ? "fraction" : value.type_name();
}

/// Expects that `ours` has every member that `real` has, of the same type, and so on within them; of arrays the first
/// elements are compared. `unless` are the members that need not be there.
inline void expect_members_of(const nlohmann::json& real, const nlohmann::json& ours,
                              const std::vector<std::string>& unless = {}, const std::string& where = "") {
  EXPECT_EQ(type_of(real), type_of(ours)) << where;
  if (real.type() != ours.type()) return;
  if (real.is_array() && !real.empty() && !ours.empty())
    expect_members_of(real.front(), ours.front(), unless, where + "[0]");
  if (!real.is_object()) return;
  for (const auto& [name, value] : real.items()) {
    if (std::ranges::find(unless, name) != unless.end()) continue;
    if (ours.contains(name))
      expect_members_of(value, ours[name], unless, where + "/" + name);
    else
      ADD_FAILURE() << where << " has no " << name;
  }
}

}  // namespace freshet::test

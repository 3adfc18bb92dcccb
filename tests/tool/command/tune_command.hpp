// `freshet tune` as a user runs it, with files so small that it ends soon.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tests/tool/command/kept_count.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {

class tune_command : public test::measuring_command {
 protected:
  tune_command() : measuring_command{test::undisturbed_place()} {
    setenv("XDG_CONFIG_HOME", (private_ / "config").c_str(), 1);
    unsetenv("FRESHET_PROFILE");
  }

  // It writes everything to a file as JSON, besides what it prints.
  pid_t start(std::vector<std::string> words) const {
    words.insert(words.begin(), "tune");
    if (std::ranges::find(words, "--json") == words.end()) words.insert(words.end(), {"--json", result_file()});
    return freshet_.start(std::move(words));
  }
  test::ended wait_for(pid_t process) const { return freshet_.wait_for(process); }
  test::ended run(std::vector<std::string> words) const { return wait_for(start(std::move(words))); }

  // A search that is limited by bytes, so that it is the same on slow machines. The workload `blocks` costs almost no
  // CPU time: under a sanitizer, no trial becomes invalid because its generator is too slow.
  std::vector<std::string> small(const std::filesystem::path& directory, const std::string& durability = "none") const {
    return {directory, "--size",       "1M",       "--max-bytes", "32M",   "--time",
            "30m",     "--durability", durability, "--workload",  "blocks"};
  }

  std::vector<std::string> small_and(const std::filesystem::path& directory,
                                     const std::vector<std::string>& more) const {
    std::vector<std::string> words = small(directory);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Starts a search for `time`, stops it once each method had several trials, and interrupts it when `spent` of its
  // time is over.
  test::ended interrupt_after(const std::filesystem::path& directory, std::chrono::seconds time,
                              std::chrono::seconds spent) const {
    constexpr int several = 25;
    const auto began = std::chrono::steady_clock::now();
    const pid_t process = start({directory, "--size", "1M", "--max-bytes", "100G", "--time",
                                 std::to_string(time.count()) + "s", "--class", "none"});
    while (waitpid(process, nullptr, WNOHANG) == 0 && test::count_kept_trials(freshet_) < several)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(kill(process, SIGSTOP), 0);
    std::this_thread::sleep_until(began + spent);
    kill(process, SIGINT);
    kill(process, SIGCONT);
    return wait_for(process);
  }

  std::filesystem::path result_file() const { return private_ / "result.json"; }
  nlohmann::json result() const { return nlohmann::json::parse(std::ifstream{result_file()}); }
  // What it answers to its first question: "nothing", "profile", "code"; "none": nothing.
  std::string first_answer() const { return result().at("verdicts").at(0).at("advice").at("what"); }

  test::temporary_directory private_;
};

}  // namespace freshet

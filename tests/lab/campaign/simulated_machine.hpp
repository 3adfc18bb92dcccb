// A machine on which a campaign runs in no time, and what a test makes of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/campaign/journal.hpp"
#include "lab/campaign/machine.hpp"
#include "lab/campaign/runner.hpp"

namespace freshet::test {

/// Its functions are those of machine(); a test reads what they did, and says what they answer.
struct simulated_machine {
  std::string boot = "boot 1";
  double now = 0;
  double busy_until = 0;  ///< seconds of its clock until which its processors work
  tool::cold_start state{true, "as a test says"};
  std::vector<tool::step_call> executed;
  std::vector<std::string> told;
  unsigned reboots = 0;
  unsigned caches_dropped = 0;
  unsigned remounts = 0;
  std::function<tool::attempt_result(const tool::step_call&)> work = [](const tool::step_call& call) {
    return tool::attempt_result{.exit_code = 0, .seconds = 1, .output = call.words.back()};
  };
  std::function<void()> each_second = [] {};

  [[nodiscard]] tool::campaign_machine machine() {
    tool::campaign_machine made;
    made.boot_id = [this] { return boot; };
    made.run_step = [this](const tool::step_call& call) {
      executed.push_back(call);
      return work(call);
    };
    made.drop_caches = [this](const auto&, auto) {
      ++caches_dropped;
      return state;
    };
    made.remount = [this](const auto&, auto) {
      ++remounts;
      return state;
    };
    made.activity = [this] {
      return tool::machine_activity{.cpu_seconds = std::min(now, busy_until), .bytes_moved = 0};
    };
    made.seconds = [this] { return now; };
    made.sleep = [this](double seconds) {
      now += seconds;
      each_second();
    };
    made.tell_everyone = [this](const std::string& text) { told.push_back(text); };
    made.reboot = [this] { ++reboots; };
    return made;
  }
};

/// A campaign by a plan's text; its seed is 1, and its directory the root.
[[nodiscard]] inline tool::campaign make_campaign(std::string_view plan) {
  tool::campaign made;
  made.plan = plan;
  made.name = tool::parse_plan(plan, "plan.toml").name;
  made.directory = "/";
  made.seed = 1;
  made.started = "2026-03-01T10:00:00Z";
  made.last_boot = "boot 1";
  return made;
}

[[nodiscard]] inline tool::campaign add_campaign(tool::journal& kept, std::string_view plan) {
  tool::campaign made = make_campaign(plan);
  kept.add(made, tool::list_steps(tool::parse_plan(plan, "plan.toml"), made.seed));
  return made;
}

}  // namespace freshet::test

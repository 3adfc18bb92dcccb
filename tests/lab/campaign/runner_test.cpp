// How a campaign goes on, on a simulated machine: what is made, repeated, counted as cold, and what stops it.
#include "lab/campaign/runner.hpp"
#include "tool/store/attempt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "tests/lab/campaign/simulated_machine.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::StartsWith;
using tool::arrival;
using tool::campaign;
using tool::campaign_state;
using tool::departure;
using tool::journal;

constexpr auto three_steps = R"(format = 1
name = "three"
order = "listed"
[matrix]
n = [1, 2, 3]
[[step]]
command = "step {n}"
)";

std::string plan_with(const std::string& line) {
  std::string text = three_steps;
  return text.insert(text.find("order"), line + "\n");
}

class campaigns : public testing::Test {
 protected:
  campaign begin(const std::string& plan) { return test::add_campaign(kept_, plan); }
  departure run(const campaign& record, arrival how = arrival::by_user) {
    return run_campaign(kept_, *kept_.find(record.id), simulated_.machine(), how, choice_, {});
  }
  void boot() { simulated_.boot = "boot " + std::to_string(++boots_); }

  std::vector<std::string> executed() const {
    std::vector<std::string> all;
    for (const tool::step_call& call : simulated_.executed) all.push_back(call.words.back());
    return all;
  }
  tool::step_attempt result_of(const campaign& record, std::size_t step) const {
    const auto* const result = steps_.emplace_back(kept_.steps(record.id)).at(step).result();
    return result == nullptr ? tool::step_attempt{} : *result;
  }

  const test::temporary_directory directory_;
  const std::filesystem::path store_ = directory_ / "store";
  journal kept_{store_, journal::access::write};
  test::simulated_machine simulated_;
  tool::runner_choice choice_{
      .quiet = {.least = 30, .most = 300}, .stop_file = tool::stop_file_of(store_), .program = "/usr/bin/freshet"};
  unsigned boots_ = 1;
  mutable std::vector<std::vector<tool::journaled_step>> steps_;
};

TEST_F(campaigns, make_their_steps_in_order_and_keep_what_they_printed) {
  const campaign record = begin(three_steps);
  simulated_.work = [](const tool::step_call& call) {
    return tool::attempt_result{
        .exit_code = call.words.back() == "step 2" ? 3 : 0, .seconds = 1.5, .output = "it is " + call.words.back()};
  };
  EXPECT_EQ(run(record), departure::done);
  EXPECT_THAT(executed(), ElementsAre("step 1", "step 2", "step 3"));
  EXPECT_EQ(kept_.find()->state, campaign_state::done);
  EXPECT_NE(kept_.find()->ended, "");
  EXPECT_EQ(result_of(record, 1).exit_code, 3);
  EXPECT_EQ(result_of(record, 1).seconds, 1.5);
  EXPECT_EQ(result_of(record, 1).output, "it is step 2");
  EXPECT_EQ(result_of(record, 0).cold, std::nullopt) << "nobody asked";
  EXPECT_THAT(simulated_.told, IsEmpty());
}

TEST_F(campaigns, start_freshet_with_their_store_and_tell_steps_who_they_are) {
  campaign record = test::make_campaign("format = 1\n[[step]]\nfreshet = ['bench', '.', '--rounds', '1']\n");
  record.environment = {"HOME=/home/x"};
  kept_.add(record, list_steps(tool::parse_plan(record.plan, "plan.toml"), 1));
  EXPECT_EQ(run(record), departure::done);
  const tool::step_call& call = simulated_.executed.at(0);
  EXPECT_THAT(call.words, ElementsAre("/usr/bin/freshet", "bench", ".", "--rounds", "1", "--store", store_.string()));
  EXPECT_THAT(call.environment, ElementsAre("HOME=/home/x", "FRESHET_CAMPAIGN_ATTEMPT=1 " + store_.string()));
  EXPECT_EQ(call.directory, "/");
  EXPECT_EQ(call.time_limit, 24 * 3600);
}

TEST_F(campaigns, know_the_runs_of_their_steps) {
  const campaign record = begin(three_steps);
  tool::store trials{store_, tool::store::access::write};
  const std::int64_t other = trials.begin(test::sample_run());
  simulated_.work = [&](const tool::step_call& call) {
    ::setenv(tool::attempt_variable, call.environment.back().substr(call.environment.back().find('=') + 1).c_str(), 1);
    tool::run made = test::sample_run();
    made.attempt = tool::attempt_of_this_process(store_);
    EXPECT_EQ(tool::attempt_of_this_process(directory_ / "another"), 0) << "not that store's";
    (void)trials.begin(made);
    return tool::attempt_result{};
  };
  EXPECT_EQ(run(record), departure::done);
  ::unsetenv(tool::attempt_variable);
  EXPECT_EQ(tool::attempt_of_this_process(store_), 0);
  EXPECT_EQ(other, 1);
  EXPECT_THAT(result_of(record, 0).runs, ElementsAre(2));
  EXPECT_THAT(result_of(record, 2).runs, ElementsAre(4));
  EXPECT_EQ(trials.runs().at(2).attempt, 2);
}

TEST_F(campaigns, tell_runs_of_attempts_without_a_result_from_others) {
  const campaign record = begin(three_steps);
  tool::store trials{store_, tool::store::access::write};
  const auto add_run = [&](std::int64_t attempt) {
    tool::run made = test::sample_run();
    made.attempt = attempt;
    return trials.begin(made);
  };
  const auto lack_result = [&] {
    std::vector<bool> all;
    for (const tool::run& each : trials.runs()) all.push_back(each.lacks_result);
    return all;
  };
  const std::int64_t step = kept_.next_step(record.id)->id;
  add_run(0);
  const std::int64_t first = kept_.begin(record.id, step, {.boot = "b", .cold = {}, .evidence = ""});
  add_run(first);
  EXPECT_THAT(lack_result(), ElementsAre(false, true));
  EXPECT_EQ(kept_.mark_cut_off(record.id), 1U);
  const std::int64_t second = kept_.begin(record.id, step, {.boot = "b", .cold = {}, .evidence = ""});
  add_run(second);
  EXPECT_THAT(lack_result(), ElementsAre(false, true, true));
  kept_.finish(record.id, second, {.exit_code = 1, .seconds = 1, .output = ""});
  EXPECT_THAT(lack_result(), ElementsAre(false, true, false));
}

TEST_F(campaigns, repeat_a_step_that_was_cut_off_and_mark_it) {
  const campaign record = begin(three_steps);
  simulated_.work = [&](const tool::step_call& call) {
    if (call.words.back() == "step 2" && simulated_.executed.size() == 2) throw std::runtime_error{"the power goes"};
    return tool::attempt_result{.exit_code = 0, .seconds = 1, .output = call.words.back()};
  };
  EXPECT_THROW((void)run(record), std::runtime_error);
  EXPECT_EQ(kept_.steps(record.id).at(1).attempts.at(0).state, "running");
  EXPECT_EQ(run(record), departure::done);
  EXPECT_THAT(executed(), ElementsAre("step 1", "step 2", "step 2", "step 3"));
  const auto attempts = kept_.steps(record.id).at(1).attempts;
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].state, "cut off");
  EXPECT_EQ(attempts[0].exit_code, std::nullopt);
  EXPECT_EQ(attempts[1].state, "finished");
  EXPECT_EQ(attempts[1].number, 2U);
}

TEST_F(campaigns, never_give_a_step_two_results) {
  const campaign record = begin(three_steps);
  const auto step = kept_.next_step(record.id);
  const std::int64_t first = kept_.begin(record.id, step->id, {.boot = "b", .cold = {}, .evidence = ""});
  const std::int64_t second = kept_.begin(record.id, step->id, {.boot = "b", .cold = {}, .evidence = ""});
  kept_.finish(record.id, first, {});
  EXPECT_THROW(kept_.finish(record.id, second, {}), error);
  EXPECT_EQ(kept_.steps(record.id).at(0).result()->id, first);
  EXPECT_EQ(kept_.next_step(record.id)->position, 2U);
}

TEST_F(campaigns, are_paused_between_steps_and_go_on) {
  const campaign record = begin(three_steps);
  simulated_.work = [&](const tool::step_call&) {
    journal other{store_, journal::access::write};
    if (simulated_.executed.size() == 1) other.set_state(record.id, campaign_state::paused, "a test");
    return tool::attempt_result{};
  };
  EXPECT_EQ(run(record), departure::paused);
  EXPECT_THAT(executed(), ElementsAre("step 1"));
  EXPECT_NE(kept_.steps(record.id).at(0).result(), nullptr) << "the step at work is finished first";
  kept_.set_state(record.id, campaign_state::running);
  EXPECT_EQ(run(record), departure::done);
  EXPECT_THAT(executed(), ElementsAre("step 1", "step 2", "step 3"));
}

TEST_F(campaigns, are_aborted_for_good) {
  const campaign record = begin(three_steps);
  kept_.set_state(record.id, campaign_state::aborted);
  kept_.set_state(record.id, campaign_state::running);
  EXPECT_EQ(run(record), departure::aborted);
  EXPECT_THAT(executed(), IsEmpty());
  EXPECT_EQ(kept_.state_of(record.id), campaign_state::aborted);
}

TEST_F(campaigns, are_stopped_by_a_file) {
  const campaign record = begin(three_steps);
  std::ofstream{choice_.stop_file};
  EXPECT_EQ(run(record), departure::paused);
  EXPECT_THAT(executed(), IsEmpty());
  EXPECT_EQ(kept_.find()->why, "the file " + choice_.stop_file.string() + " exists");
}

TEST_F(campaigns, stop_at_a_failure_if_the_plan_says_so) {
  const campaign record = begin(plan_with("on_failure = 'stop'"));
  simulated_.work = [](const tool::step_call&) {
    return tool::attempt_result{.exit_code = 7, .seconds = 0, .output = "begins\nno space\033[31m left\n"};
  };
  EXPECT_EQ(run(record), departure::stopped);
  EXPECT_THAT(executed(), ElementsAre("step 1"));
  EXPECT_EQ(kept_.find()->why, "step 1 ended with exit code 7: no space?[31m left");
}

TEST_F(campaigns, drop_caches_or_remount_before_each_step_and_say_what_was_proven) {
  const campaign dropping = begin(plan_with("between = 'drop-caches'"));
  simulated_.state = {true, "seen"};
  EXPECT_EQ(run(dropping), departure::done);
  EXPECT_EQ(simulated_.caches_dropped, 3U);
  EXPECT_EQ(result_of(dropping, 0).cold, true);
  EXPECT_EQ(result_of(dropping, 0).evidence, "seen");
  campaign remounting = test::make_campaign(plan_with("between = 'remount'\nmount = '/x'"));
  remounting.mount = tool::to_json_text({.source = "/dev/x", .type = "ext4", .options = "rw", .point = "/x"});
  kept_.add(remounting, list_steps(tool::parse_plan(remounting.plan, "plan.toml"), 1));
  simulated_.state = {false, "something was cached"};
  EXPECT_EQ(run(remounting), departure::done);
  EXPECT_EQ(simulated_.remounts, 3U);
  EXPECT_EQ(result_of(remounting, 2).cold, false);
  EXPECT_EQ(result_of(remounting, 2).evidence, "something was cached");
}

TEST_F(campaigns, make_one_step_after_each_reboot) {
  const campaign record = begin(plan_with("between = 'reboot'"));
  EXPECT_EQ(run(record), departure::rebooting);
  EXPECT_THAT(executed(), IsEmpty()) << "not in the boot in which it was started";
  for (int step = 1; step <= 3; ++step) {
    boot();
    EXPECT_EQ(run(record, arrival::by_boot), step < 3 ? departure::rebooting : departure::done);
    EXPECT_EQ(executed().size(), static_cast<std::size_t>(step));
    EXPECT_EQ(result_of(record, static_cast<std::size_t>(step) - 1).boot, simulated_.boot);
    EXPECT_EQ(result_of(record, static_cast<std::size_t>(step) - 1).cold, true);
  }
  EXPECT_EQ(simulated_.reboots, 3U) << "none after the last step";
}

TEST_F(campaigns, never_take_a_step_for_cold_without_a_new_boot_id) {
  const campaign record = begin(plan_with("between = 'reboot'"));
  EXPECT_EQ(run(record), departure::rebooting);
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting) << "the reboot was none";
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting);
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting);
  EXPECT_THAT(executed(), IsEmpty());
  EXPECT_EQ(run(record, arrival::by_boot), departure::stopped);
  EXPECT_EQ(simulated_.reboots, 4U);
}

TEST_F(campaigns, take_a_step_for_cold_only_if_its_inputs_are) {
  const auto file = directory_ / "input";
  std::ofstream{file} << "cached, because it was just written";
  const campaign record = begin(plan_with("between = 'reboot'\ninputs = ['" + file.string() + "']"));
  boot();
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting);
  EXPECT_EQ(result_of(record, 0).cold, false);
  EXPECT_THAT(result_of(record, 0).evidence, EndsWith(" of the inputs were cached, such as " + file.string()));
}

TEST_F(campaigns, stop_after_three_boots_in_a_row_without_progress) {
  const campaign record = begin(plan_with("between = 'reboot'"));
  EXPECT_EQ(run(record), departure::rebooting);
  boot();
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting);
  simulated_.work = [](const tool::step_call&) -> tool::attempt_result {
    throw std::runtime_error{"it crashes the machine"};
  };
  for (int crash = 0; crash < 3; ++crash) {
    boot();
    EXPECT_THROW((void)run(record, arrival::by_boot), std::runtime_error);
  }
  boot();
  const std::size_t tried = executed().size();
  EXPECT_EQ(run(record, arrival::by_boot), departure::stopped);
  EXPECT_EQ(executed().size(), tried) << "nothing more is tried";
  EXPECT_EQ(kept_.find()->why, "3 boots in a row finished no step");
  // Whoever repairs the step may go on.
  simulated_.work = [](const tool::step_call&) { return tool::attempt_result{}; };
  kept_.set_state(record.id, campaign_state::running);
  EXPECT_EQ(run(record), departure::rebooting);
  EXPECT_EQ(kept_.steps(record.id).at(1).attempts.size(), 4U);
}

TEST_F(campaigns, tell_everyone_how_to_stop_them) {
  const campaign record = begin(plan_with("between = 'reboot'"));
  EXPECT_EQ(run(record), departure::rebooting);
  boot();
  EXPECT_EQ(run(record, arrival::by_boot), departure::rebooting);
  const std::string end = " To stop it: `freshet campaign pause --store " + store_.string() + "`, or create the file " +
                          choice_.stop_file.string() +
                          "; or boot with \"freshet.campaign=off\" on the kernel's command line.";
  EXPECT_THAT(simulated_.told,
              ElementsAre("freshet campaign \"three\", step 1 of 3: this machine reboots now for it." + end,
                          "freshet campaign \"three\", step 1 of 3: begins when this machine is quiet, in 300 s at the "
                          "latest; then it reboots." +
                              end,
                          "freshet campaign \"three\", step 2 of 3: this machine reboots now for it." + end));
}

TEST_F(campaigns, are_stopped_while_they_wait_for_a_quiet_machine) {
  const campaign record = begin(plan_with("between = 'reboot'"));
  boot();
  simulated_.each_second = [&] {
    if (simulated_.now >= 10) std::ofstream{choice_.stop_file};
  };
  EXPECT_EQ(run(record, arrival::by_boot), departure::paused);
  EXPECT_THAT(executed(), IsEmpty());
  EXPECT_EQ(simulated_.reboots, 0U);
  EXPECT_LT(simulated_.now, 15);
}

TEST_F(campaigns, wait_until_the_machine_is_quiet) {
  const auto wait = [&](double busy_until) {
    simulated_.now = 0;
    simulated_.busy_until = busy_until;
    return wait_until_machine_quiet(simulated_.machine(), choice_.quiet, [] { return false; });
  };
  EXPECT_EQ(wait(0), "quiet after 30 s") << "time for whoever sits there";
  EXPECT_EQ(wait(100), "quiet after 105 s");
  EXPECT_EQ(wait(1000), "not quiet within 300 s");
  choice_.quiet.most = 10;
  EXPECT_EQ(wait(0), "quiet after 10 s");
}

}  // namespace
}  // namespace freshet

// Whether a series of runs in CI comes to a decision: `freshet bench`, then `freshet compare --fail-if-worse`.
#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/mounted_image.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::AllOf;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

class gate_command : public test::measuring_command {
 protected:
  /// The trials of `bench` as it is called without an option that says how many there are, or in which memory.
  nlohmann::json trials(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"bench",  directory(), "--no-store", "--method", "buffered",
                                   "--size", "64K",       "--json",     "-"};
    words.insert(words.end(), more.begin(), more.end());
    const ended done = freshet_.run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return nlohmann::json::parse(done.out).at("trials");
  }
};

TEST_F(gate_command, measures_in_a_state_of_memory_that_no_trial_can_miss) {
  const nlohmann::json made = trials();
  EXPECT_THAT(made, SizeIs(AllOf(Ge(6U), Le(15U))));
  for (const nlohmann::json& trial : made) {
    EXPECT_EQ(trial.at("plan").at("memory"), "left");
    EXPECT_EQ(trial.at("met_slow_memory"), false);
  }
}

TEST_F(gate_command, makes_as_many_rounds_as_were_asked_for) {
  EXPECT_THAT(trials({"--rounds", "6"}), SizeIs(6U));
  EXPECT_THAT(trials({"--order", "sequential"}), SizeIs(6U));
  EXPECT_THAT(trials({"--max-bytes", "448K"}), SizeIs(AllOf(Ge(6U), Le(7U))));
}

/// Runs of this build in one place, each compared with the one before.
class measured_gate_command : public testing::TestWithParam<std::string> {
 protected:
  measured_gate_command() { setenv("FRESHET_PROFILE", "none", 1); }
  ~measured_gate_command() override { unsetenv("LD_PRELOAD"); }

  void measure(const std::string& preloaded = "") {
    if (!preloaded.empty()) setenv("LD_PRELOAD", preloaded.c_str(), 1);
    const ended done =
        freshet_.run({"bench", place_.path(), "--method", "buffered", "--block", "256K", "--size", "64M"});
    unsetenv("LD_PRELOAD");
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
  [[nodiscard]] ended compare() const { return freshet_.run({"compare", "last~1", "last", "--fail-if-worse", "5%"}); }

  test::freshet_command freshet_{FRESHET_COMMAND};
  test::temporary_directory below_;
  test::mounted_image place_{below_.path(), GetParam(), std::uint64_t{512} << 20};
};

INSTANTIATE_TEST_SUITE_P(on, measured_gate_command, testing::Values("tmpfs", "ext4"),
                         [](const auto& each) { return each.param; });

TEST_P(measured_gate_command, passes_equal_builds_and_stops_one_that_waits_at_each_write) {
  const std::string delayed_writes = FRESHET_DELAYED_WRITES;
  if (delayed_writes.empty())
    GTEST_SKIP() << "nothing can be preloaded beside a sanitizer, or where the C library is not glibc";
  if (!place_.why_not().empty()) GTEST_SKIP() << place_.why_not();
  measure();
  measure();
  const ended same = compare();
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  measure(delayed_writes);
  const ended slower = compare();
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.err;
}

}  // namespace
}  // namespace freshet

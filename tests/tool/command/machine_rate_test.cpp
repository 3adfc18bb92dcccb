// What `tune`, `bench` and `text` say of the disk's own rate, which they know from earlier trials.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/command/measuring_command.hpp"
#include "tool/measure/environment.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::HasSubstr;
using testing::StartsWith;

class machine_rate : public test::measuring_command {
 protected:
  // Keeps six trials of `uring` in a run of 2025, of 2,300 MB/s to disk: faster than what is measured here may be.
  void keep_earlier_run(const std::function<void(tool::run&)>& changed = {}) const {
    tool::store kept{store(), tool::store::access::write};
    tool::run earlier;
    earlier.command = "tune";
    earlier.words = "freshet tune";
    earlier.started = "2025-06-12T08:00:00Z";
    earlier.env = tool::read_environment(directory());
    if (changed) changed(earlier);
    earlier.id = kept.begin(earlier);
    const tool::trial_plan uring{.method = "uring", .size = 23 * test::gigabyte};
    for (tool::record& each : test::keep(test::make_trials(uring, std::vector<double>(6, 10)), earlier)) kept.add(each);
    kept.end(earlier.id);
  }

  [[nodiscard]] std::string store() const { return kept_in_ / "trials.sqlite"; }

  // Small calls of the three commands; each measures too little for a rate of its own.
  [[nodiscard]] std::vector<std::vector<std::string>> calls() const {
    return {{"text", file("text"), "--size", "1M"},
            {"bench", directory(), "--size", "1M", "--rounds", "1", "--method", "buffered"},
            {"tune", directory(), "--size", "1M", "--max-bytes", "1M", "--class", "none", "--dry-run"}};
  }
  [[nodiscard]] ended run(std::vector<std::string> words, const std::vector<std::string>& more) const {
    words.insert(words.end(), more.begin(), more.end());
    return freshet_.run(std::move(words));
  }
  [[nodiscard]] nlohmann::json rate_in_json(const std::vector<std::string>& words,
                                            const std::vector<std::string>& more) const {
    const std::string json = kept_in_ / "result.json";
    const ended done = run(words, [&] {
      std::vector<std::string> all = more;
      all.insert(all.end(), {"--json", json});
      return all;
    }());
    std::ifstream in{json};
    return nlohmann::json::parse(in).at("machine_rate");
  }

  void expect_unknown(const std::vector<std::string>& more) const {
    for (const std::vector<std::string>& call : calls()) EXPECT_EQ(rate_in_json(call, more), nullptr) << call.front();
  }

 private:
  test::temporary_directory kept_in_;
};

TEST_F(machine_rate, is_in_the_first_line_of_text_and_bench) {
  keep_earlier_run();
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const ended done = run(calls()[at], {"--store", store()});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, StartsWith("The disk takes 2.3 GB/s (12 Jun 2025)")) << calls()[at].front();
  }
}

TEST_F(machine_rate, stands_above_the_table_of_tune) {
  keep_earlier_run();
  const ended done = run(calls()[2], {"--store", store()});
  // Where the lines of the announcement end depends on the directory's name.
  EXPECT_THAT(done.out, HasSubstr("there.\nThe disk takes 2.3 GB/s (12 Jun 2025)"));
}

TEST_F(machine_rate, is_in_json) {
  keep_earlier_run();
  for (const std::vector<std::string>& call : calls()) {
    const nlohmann::json rate = rate_in_json(call, {"--store", store()});
    EXPECT_DOUBLE_EQ(rate.at("mb_per_second").get<double>(), 2300) << call.front();
    EXPECT_EQ(rate.at("way"), "uring 4 MiB x 2");
    EXPECT_EQ(rate.at("measured"), "2025-06-12T08:00:00Z");
    EXPECT_EQ(rate.at("trials"), 6);
    for (const char* const name : {"share", "waiting_bytes", "forms_lines"}) EXPECT_TRUE(rate.contains(name)) << name;
  }
}

TEST_F(machine_rate, is_said_once_where_text_repeats) {
  keep_earlier_run();
  const ended done = run(calls()[0], {"--store", store(), "--repeat", "3"});
  const std::size_t first = done.out.find("The disk takes");
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(done.out.find("The disk takes", first + 1), std::string::npos);
}

TEST_F(machine_rate, is_not_said_without_a_store) { expect_unknown({"--no-store"}); }

TEST_F(machine_rate, is_not_said_of_another_file_system_or_machine) {
  keep_earlier_run([](tool::run& earlier) { earlier.env.file_system_key += "0"; });
  keep_earlier_run([](tool::run& earlier) { earlier.env.machine += " II"; });
  EXPECT_EQ(rate_in_json(calls()[0], {"--store", store()}), nullptr);
}

TEST_F(machine_rate, is_not_said_of_reading) {
  keep_earlier_run();
  EXPECT_EQ(rate_in_json(calls()[1], {"--class", "warm", "--store", store()}), nullptr);
}

}  // namespace
}  // namespace freshet

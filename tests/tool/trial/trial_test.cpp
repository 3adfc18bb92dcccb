#include "tool/trial/trial.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/instant_memory.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/series.hpp"
#include "tool/trial/trial_runner.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/blocks.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator{directory}, fs::directory_iterator{}));
}

class file_runner_test : public testing::Test {
 protected:
  test::temporary_directory directory_;
  file_runner runner_{directory_.path(), test::no_preparation()};
};

TEST_F(file_runner_test, measures_and_leaves_only_its_own_directory) {
  const trial_plan plan{.method = "buffered", .size = 3'000'000};
  const double cpu_before = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  const trial_result trial = runner_.run(plan);
  const double cpu_of_all = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
  EXPECT_EQ(trial.plan, plan);
  EXPECT_EQ(trial.method, "buffered");
  EXPECT_LE(trial.bytes, plan.size);
  EXPECT_GT(trial.bytes, plan.size - 1000) << "whole lines";
  EXPECT_GT(trial.lines, 50'000U);
  EXPECT_GT(trial.seconds_to_close, 0);
  EXPECT_GE(trial.seconds_to_disk, trial.seconds_to_close);
  EXPECT_GT(trial.cpu_process, 0);
  EXPECT_LT(trial.cpu_process, cpu_of_all);
  EXPECT_GT(trial.write_calls, 0U);
  EXPECT_GT(trial.generator_ceiling, 0);
  EXPECT_GT(trial.first_touch, 0);
  EXPECT_EQ(trial.bytes_compared, trial.bytes);
  std::error_code failure;
  if (!is_in_memory(detail::os::file_system_of(directory_.path(), failure))) {
    EXPECT_GT(trial.cpu_whole, trial.cpu_process) << "threads of the kernel write the file out";
    EXPECT_GE(trial.device_bytes.value_or(0), trial.bytes) << "the device is not seen";
  }
  ASSERT_EQ(entries(directory_.path()), 1U);
  const fs::path scratch = *fs::directory_iterator{directory_.path()};
  EXPECT_TRUE(scratch.filename().string().starts_with(".freshet-"));
  EXPECT_EQ(entries(scratch), 1U) << "only the lock stays";
}

TEST_F(file_runner_test, measures_alike_in_a_process_of_its_own) {
  file_runner own{directory_.path(), test::no_preparation(), trial_process::own};
  // First, while this process has no thread whose locks the others would inherit.
  std::vector<trial_result> there;
  for (const std::string method : {"buffered", "adaptive", "ofstream"})
    there.push_back(own.run({.method = method, .size = 3'000'000}));
  for (const io_class measured_class : {io_class::warm, io_class::at_close})
    EXPECT_GT(own.run({.method = "buffered", .measured_class = measured_class, .size = 3'000'000}).bytes, 2'900'000U);
  EXPECT_THROW(static_cast<void>(own.run({.method = "nosuch", .size = 1000})), error);
  for (const trial_result& each : there) {
    SCOPED_TRACE(each.plan.method);
    const trial_result here = runner_.run({.method = each.plan.method, .size = 3'000'000});
    EXPECT_EQ(each.plan, here.plan);
    EXPECT_EQ(each.method, here.method);
    EXPECT_EQ(each.bytes, here.bytes);
  }
}

TEST_F(file_runner_test, has_written_or_read_before_where_that_is_asked_for) {
  file_runner own{directory_.path(), test::no_preparation(), trial_process::own};
  for (file_runner* const runner : {&own, &runner_})
    for (const std::string method : {"adaptive", "buffered"}) {
      trial_plan plan{.method = method, .size = 300'000};
      const trial_result first = runner->run(plan);
      plan.prior = prior_state::process;
      const trial_result later = runner->run(plan);
      // Others may disturb either.
      EXPECT_EQ(later.validity == trial_validity::invalid, first.validity == trial_validity::invalid);
      EXPECT_EQ(later.bytes, first.bytes);
      EXPECT_EQ(later.bytes_written, first.bytes_written + plan.size);
      plan.measured_class = io_class::warm;
      EXPECT_EQ(runner->run(plan).bytes, first.bytes);
      EXPECT_EQ(runner->run(plan).bytes_written, 0U) << "both files are there";
    }
}

TEST(file_runner, uses_a_profile_that_is_not_saved) {
  const test::temporary_directory on_disk{test::disk_place()};
  if (const auto reason = test::why_not("direct", on_disk.path()); !reason.empty()) GTEST_SKIP() << reason;
  file_runner runner{on_disk.path(), test::no_preparation(), trial_process::own};
  const trial_plan by_profile{.method = "adaptive", .size = 3'000'000, .prior = prior_state::profile};
  EXPECT_THROW(static_cast<void>(runner.run(by_profile)), error) << "nothing is known of the directory";
  file_system_profile entry;
  entry.key = file_system_at(on_disk.path()).key;
  entry.winners[0] = write_settings{.method = "direct", .block = std::size_t{1} << 20, .fixed = true};
  runner.use_profile(entry);
  const trial_result directly = runner.run(by_profile);
  EXPECT_EQ(directly.plan, by_profile);
  EXPECT_EQ(directly.method, "adaptive");
  EXPECT_LE(directly.page_cache.value_or(0), detail::os::page_size()) << "but for what is no whole block";
  const trial_result by_itself = runner.run({.method = "adaptive", .size = 3'000'000});
  EXPECT_EQ(by_itself.page_cache.value_or(by_itself.bytes), by_itself.bytes) << "it knows nothing of the profile";
}

// A program's first file has to touch its blocks; so does every trial's, whatever ran before it in this process.
TEST_F(file_runner_test, provides_no_memory_before_the_trial) {
  const std::size_t block = std::size_t{1} << 20;
  const trial_plan plan{.method = "direct", .block = block, .depth = 1, .size = 8 * block};
  const auto faults_of_a_block = static_cast<std::uint64_t>(block / detail::os::page_size());
  if (const auto reason = test::why_not("direct", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  for (int trial = 0; trial < 3; ++trial)
    EXPECT_GE(runner_.run(plan).faults_minor, faults_of_a_block) << "trial " << trial;
}

// Remembers what was asked for.
class noted_memory : public memory_preparation {
 public:
  void provide(memory_state wanted, std::uint64_t /*bytes*/) override { wanted_.push_back(wanted); }
  [[nodiscard]] const std::vector<memory_state>& wanted() const noexcept { return wanted_; }

 private:
  std::vector<memory_state> wanted_;
};

// Else compare and the rankings would have nothing in common where new memory is slow to touch.
TEST(file_runner, provides_the_same_memory_to_all_methods) {
  const test::temporary_directory on_disk{test::disk_place()};
  const auto memory = std::make_shared<noted_memory>();
  file_runner runner{on_disk.path(), memory};
  for (const char* const method : {"buffered", "direct", "stdio"})
    static_cast<void>(runner.run({.method = method, .memory = memory_state::recycled, .size = 100'000}));
  EXPECT_EQ(memory->wanted(), std::vector(3, memory_state::recycled));
}

TEST_F(file_runner_test, compares_small_files_whole_and_a_sample_of_large_ones) {
  trial_result trial = runner_.run({.method = "stdio", .size = 100'000});
  EXPECT_EQ(trial.bytes_compared, trial.bytes);
  trial = runner_.run({.method = "stdio", .size = 100'000'000});
  EXPECT_GT(trial.bytes_compared, trial.bytes / 20);
  EXPECT_LT(trial.bytes_compared, trial.bytes / 2);
}

TEST_F(file_runner_test, writes_several_files_at_once_and_over_old_ones) {
  for (const auto measured_class : writing_classes) {
    const trial_result trial = runner_.run({.method = "buffered",
                                            .block = 65536,
                                            .measured_class = measured_class,
                                            .workload = workload_kind::blocks,
                                            .target = target_kind::overwrite,
                                            .size = 500'000,
                                            .jobs = 3});
    EXPECT_EQ(trial.bytes, 1'500'000U);
    EXPECT_EQ(trial.lines, 0U);
    EXPECT_EQ(trial.bytes_compared, trial.bytes);
    EXPECT_EQ(std::count(trial.reasons.begin(), trial.reasons.end(), "the file does not hold what was written"), 0);
  }
}

TEST_F(file_runner_test, counts_writes_that_go_through_a_queue) {
  const trial_plan plan{.method = "uring", .block = 65536, .depth = 2, .size = 640'000};
  if (const auto reason = test::why_not("uring", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_GE(runner_.run(plan).write_calls, 9U);
}

TEST_F(file_runner_test, has_nothing_to_say_of_null_on_disk) {
  for (const io_class measured_class : {io_class::none, io_class::warm}) {
    const trial_result trial = runner_.run({.method = "null", .measured_class = measured_class, .size = 1'000'000});
    EXPECT_EQ(trial.validity, trial_validity::unknown);
    EXPECT_GT(trial.bytes, 900'000U);
  }
}

TEST_F(file_runner_test, refuses_what_makes_no_sense) {
  for (const trial_plan& plan :
       {trial_plan{.method = "no-such-method", .size = 1}, trial_plan{.method = "mmap", .size = 1},
        trial_plan{.method = "fmt", .measured_class = io_class::each_write, .size = 1},
        trial_plan{.method = "ofstream-naive", .workload = workload_kind::blocks, .size = 1},
        trial_plan{.method = "stdio", .measured_class = io_class::warm, .size = 1},
        trial_plan{.method = "libaio", .measured_class = io_class::warm, .size = 1}})
    EXPECT_THROW(static_cast<void>(runner_.run(plan)), error) << plan.method;
  file_runner nowhere{directory_.path() / "none", test::no_preparation()};
  EXPECT_THROW(static_cast<void>(nowhere.run({.method = "buffered", .size = 1})), error);
}

TEST_F(file_runner_test, tells_other_content_from_its_own) {
  const auto path = directory_.path() / "file";
  const trial_plan plan{.method = "buffered", .size = 3'000'000};
  static_cast<void>(write_file(plan, path, nullptr));
  EXPECT_TRUE(check_content(path, plan, nullptr).matches);
  {
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(1'500'000).put('\0');
  }
  EXPECT_FALSE(check_content(path, plan, nullptr).matches);
  static_cast<void>(write_file(plan, path, nullptr));
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_FALSE(check_content(path, plan, nullptr).matches);
}

TEST_F(file_runner_test, is_told_in_json_with_its_plan_and_verdict) {
  const trial_result trial = runner_.run({.method = "buffered", .size = 100'000});
  const nlohmann::json json = nlohmann::json::parse(nlohmann::json(trial).dump());
  EXPECT_EQ(json.at("plan").at("method"), "buffered");
  EXPECT_EQ(json.at("plan").at("class"), "none");
  EXPECT_EQ(json.at("bytes"), trial.bytes);
  EXPECT_EQ(json.at("verdict"), to_string(trial.validity));
  EXPECT_EQ(json.at("device_bytes").is_null(), !trial.device_bytes);
}

TEST(describe, names_what_differs_from_the_usual) {
  EXPECT_EQ(describe({.method = "ofstream-tuned"}), "ofstream-tuned");
  EXPECT_EQ(describe({.method = "uring", .block = 4 << 20, .depth = 2}), "uring 4 MiB x 2");
  EXPECT_EQ(describe({.method = "uring", .block = 1 << 20, .depth = 8, .reserve = true, .ordered = false}),
            "uring 1 MiB x 8, reserved, unordered");
}

TEST(plans_of, leaves_out_what_comes_to_the_same) {
  grid varied{.common = {.block = 65536}};
  varied.of<&trial_plan::method>() = {"buffered", "uring", "stdio"};
  varied.of<&trial_plan::depth>() = {1, 2, 4};
  const auto plans = make_plans(varied);
  std::vector<std::string> names;
  for (const trial_plan& plan : plans) names.push_back(describe(plan));
  EXPECT_EQ(names, (std::vector<std::string>{"buffered 64 KiB", "uring 64 KiB", "uring 64 KiB x 2", "stdio 64 KiB"}));
}

TEST(plans_of, knows_of_reading_only_what_matters_to_it) {
  grid varied{.common = {.reserve = true, .measured_class = io_class::cold}};
  varied.of<&trial_plan::method>() = {"buffered", "uring"};
  varied.of<&trial_plan::depth>() = {1, 2, 8};
  std::vector<std::string> names;
  for (const trial_plan& plan : make_plans(varied)) names.push_back(describe(plan));
  EXPECT_EQ(names, (std::vector<std::string>{"buffered 256 KiB", "uring 4 MiB", "uring 4 MiB x 2", "uring 4 MiB x 8"}));
}

TEST(plans_of, keeps_depth_without_order) {
  grid varied{.common = {.method = "uring", .ordered = false}};
  varied.of<&trial_plan::depth>() = {1, 4, 8};
  EXPECT_EQ(make_plans(varied).size(), 3U);
}

TEST(schedule, cycles_or_stays) {
  EXPECT_EQ(schedule(2, 2, trial_order::cycle, 1),
            (std::vector<scheduled_trial>{{0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {1, 1, 1}}));
  EXPECT_EQ(schedule(2, 2, trial_order::sequential, 1),
            (std::vector<scheduled_trial>{{0, 0, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}}));
}

RC_GTEST_PROP(schedule, has_every_plan_once_in_every_round, ()) {
  const auto plans = *rc::gen::inRange<std::size_t>(1, 20);
  const auto rounds = *rc::gen::inRange(1U, 6U);
  const auto order = *rc::gen::element(trial_order::cycle, trial_order::sequential, trial_order::random);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto all = schedule(plans, rounds, order, seed);
  std::set<std::pair<unsigned, std::size_t>> turns;
  std::set<std::pair<unsigned, unsigned>> places;
  for (const scheduled_trial& each : all) {
    turns.insert({each.round, each.plan});
    places.insert({each.round, each.position});
  }
  RC_ASSERT(all.size() == plans * rounds);
  RC_ASSERT(turns.size() == all.size());
  RC_ASSERT(places.size() == all.size());
  RC_ASSERT(all == schedule(plans, rounds, order, seed));
}

class scratch_test : public testing::Test {
 protected:
  fs::path make_directory(const std::string& name) {
    const fs::path path = directory_.path() / name;
    fs::create_directory(path);
    return path;
  }
  test::temporary_directory directory_;
};

TEST_F(scratch_test, removes_itself_with_all_that_is_in_it) {
  {
    scratch directory{directory_.path()};
    std::ofstream{directory.file(0)} << "x";
    std::ofstream{directory.file(1)} << "x";
    std::ofstream{directory.kept_file(0)} << "x";
    directory.clear();
    EXPECT_EQ(entries(directory.path()), 2U) << "the lock, and the file to be kept";
    std::ofstream{directory.file(0)} << "x";
  }
  EXPECT_EQ(entries(directory_.path()), 0U);
}

TEST_F(scratch_test, leaves_those_whose_owner_lives) {
  const scratch one{directory_.path()};
  const scratch other{directory_.path()};
  EXPECT_TRUE(fs::exists(one.path()));
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(remove_leftovers(directory_.path()), 0U);
}

TEST_F(scratch_test, removes_those_whose_owner_died) {
  const fs::path leftover = make_directory(".freshet-123-0badcafe");
  std::ofstream{leftover / "lock"};
  std::ofstream{leftover / "trial-0"} << "x";
  const scratch directory{directory_.path()};
  EXPECT_FALSE(fs::exists(leftover));
}

TEST_F(scratch_test, leaves_one_that_is_just_being_made) {
  const fs::path young = make_directory(".freshet-123-0badcafe");
  EXPECT_EQ(remove_leftovers(directory_.path()), 0U);
  fs::last_write_time(young, fs::file_time_type::clock::now() - std::chrono::minutes{2});
  EXPECT_EQ(remove_leftovers(directory_.path()), 1U);
}

TEST_F(scratch_test, leaves_what_is_not_its_own) {
  for (const std::string name :
       {".freshet-123", ".freshet-", ".freshet--1", ".freshet-x-1", ".freshet-1-X", "freshet-1-1"})
    std::ofstream{make_directory(name) / "lock"};
  const fs::path elsewhere = make_directory("elsewhere");
  std::ofstream{elsewhere / "lock"};
  fs::create_directory_symlink(elsewhere, directory_.path() / ".freshet-1-1");
  EXPECT_EQ(remove_leftovers(directory_.path()), 0U);
  EXPECT_EQ(entries(elsewhere), 1U);
}

TEST(read_environment, names_the_machine_and_the_place) {
  const test::temporary_directory directory;
  const environment env = read_environment(directory.path());
  EXPECT_GT(env.cpus, 0U);
  EXPECT_GT(env.memory, 0U);
  EXPECT_FALSE(env.kernel.empty());
  EXPECT_FALSE(env.file_system.empty());
  EXPECT_FALSE(env.version.empty());
  EXPECT_GT(env.first_touch_fresh, 0);
  EXPECT_GT(env.first_touch_reused, 0);
}

TEST(count_extents, counts_the_pieces_on_the_device) {
  const test::temporary_directory directory;
  const auto path = directory.path() / "file";
  std::ofstream{path} << std::string(100'000, 'x');
  sync_file(path);
  const auto pieces = count_extents(path);
  if (!pieces) GTEST_SKIP() << "the file system does not say where its files lie";
  EXPECT_GE(*pieces, 1U);
  EXPECT_EQ(count_extents(directory.path() / "none"), std::nullopt);
}

TEST(write_file, may_change_its_method_unless_the_plan_names_one) {
  const test::temporary_directory directory;
  if (!test::can_change(directory.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
  const test::forced_changes forced;
  const auto changes_of = [&](const trial_plan& plan) {
    const test::change_count changes;
    const written_file written = write_file(plan, directory / "file", nullptr);
    EXPECT_TRUE(check_content(directory / "file", plan, nullptr).matches);
    EXPECT_TRUE(plan.method == "auto" || written.method == plan.method) << written.method;
    return changes.count();
  };
  EXPECT_GT(changes_of({.size = std::uint64_t{16} << 20}), 0U) << "as `freshet text` writes without options";
  EXPECT_GT(changes_of({.method = "adaptive", .size = std::uint64_t{16} << 20}), 0U);
  EXPECT_EQ(changes_of({.method = "buffered", .size = std::uint64_t{16} << 20}), 0U);
}

TEST(normalize, leaves_the_block_to_a_method_that_changes) {
  EXPECT_EQ(normalize(trial_plan{.method = "adaptive"}).block, 0U);
  EXPECT_EQ(normalize(trial_plan{.method = "adaptive", .block = 65536}).block, 65536U);
  EXPECT_GT(normalize(trial_plan{.method = "buffered"}).block, 0U);
}

}  // namespace
}  // namespace freshet::tool

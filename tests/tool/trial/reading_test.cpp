// Trials that read: what counts as cold and as warm, and which gates notice if it is not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <freshet/error.hpp>

#include "tests/support/instant_memory.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/trial/good_trial.hpp"
#include "tool/base/place.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::good_trial;
using test::on;

TEST(gates_of_reading, finds_nothing_against_good_reading) {
  for (const io_class measured_class : {io_class::cold, io_class::warm}) {
    trial_result trial = good_trial(measured_class);
    apply_gates(trial, true, on("ext4"));
    EXPECT_EQ(trial.validity, trial_validity::valid) << to_string(measured_class);
    apply_gates(trial, false, on("ext4"));
    EXPECT_EQ(trial.reasons, std::vector<std::string>{"what was read is not what was written"});
  }
}

TEST(gates_of_reading, takes_no_cached_file_for_a_cold_one) {
  trial_result trial = good_trial(io_class::cold);
  trial.bytes_cached = 4096;
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_EQ(trial.reasons,
            std::vector<std::string>{"not cold: 4096 bytes of 1000000000 were in memory when reading began"});
}

TEST(gates_of_reading, wants_the_device_to_have_handed_over_what_was_read_cold) {
  trial_result trial = good_trial(io_class::cold);
  trial.device_bytes_read = 999'999'999;
  apply_gates(trial, true, on("ext4"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  apply_gates(trial, true, on("btrfs"));
  EXPECT_EQ(trial.validity, trial_validity::unknown);
  trial.device_bytes_read.reset();
  apply_gates(trial, true, on("overlay"));
  EXPECT_EQ(trial.validity, trial_validity::unknown);
}

TEST(gates_of_reading, wants_all_of_a_warm_file_in_memory_and_asks_no_device) {
  trial_result trial = good_trial(io_class::warm);
  trial.device_bytes_read.reset();
  apply_gates(trial, true, on("tmpfs"));
  EXPECT_EQ(trial.validity, trial_validity::valid);
  trial.bytes_cached = trial.bytes - 1;
  apply_gates(trial, true, on("tmpfs"));
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  trial.bytes_cached.reset();
  apply_gates(trial, true, on("tmpfs"));
  EXPECT_EQ(trial.validity, trial_validity::unknown) << "a system may tell nobody";
}

class reading_trial_test : public testing::Test {
 protected:
  // The file that this run keeps for reading.
  fs::path kept_file() const {
    for (const auto& entry : fs::recursive_directory_iterator{directory_.path()})
      if (entry.path().filename().string().starts_with("kept-")) return entry.path();
    return {};
  }
  static bool has_reason(const trial_result& trial, const std::string& start) {
    return std::ranges::any_of(trial.reasons, [&](const std::string& reason) { return reason.starts_with(start); });
  }

  test::temporary_directory directory_;
  file_runner runner_{directory_.path(), test::no_preparation()};
};

TEST_F(reading_trial_test, reads_a_file_that_it_writes_once) {
  trial_plan plan{.method = "buffered", .measured_class = io_class::warm, .size = 3'000'000};
  trial_result trial = runner_.run(plan);
  EXPECT_EQ(trial.method, "buffered");
  EXPECT_LE(trial.bytes, plan.size);
  EXPECT_EQ(trial.bytes_written, trial.bytes);
  EXPECT_EQ(trial.bytes_compared, trial.bytes);
  EXPECT_EQ(trial.bytes_cached, trial.bytes);
  EXPECT_EQ(trial.bytes, fs::file_size(kept_file()));
  EXPECT_GT(trial.generator_ceiling, 0);
  EXPECT_FALSE(has_reason(trial, "what was read is not what was written"));
  plan.method = "mmap";
  trial = runner_.run(plan);
  EXPECT_EQ(trial.bytes_written, 0U);
  EXPECT_EQ(trial.method, "mmap");
  EXPECT_EQ(trial.bytes, fs::file_size(kept_file()));
  plan.workload = workload_kind::blocks;
  plan.jobs = 3;
  trial = runner_.run(plan);
  EXPECT_EQ(trial.bytes, 9'000'000U);
  EXPECT_EQ(trial.bytes_written, 9'000'000U);
  EXPECT_FALSE(has_reason(trial, "what was read is not what was written"));
}

TEST_F(reading_trial_test, notices_that_it_read_something_else) {
  const trial_plan plan{.method = "buffered", .measured_class = io_class::warm, .size = 3'000'000};
  static_cast<void>(runner_.run(plan));
  std::fstream{kept_file(), std::ios::in | std::ios::out | std::ios::binary}.seekp(1'500'000).put('\0');
  const trial_result trial = runner_.run(plan);
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_TRUE(has_reason(trial, "what was read is not what was written"));
}

// Tests on a file system that is on a disk.
class cold_trial_test : public reading_trial_test {
 protected:
  void SetUp() override {
    std::error_code failure;
    const detail::os::file_system place = detail::os::file_system_of(directory_.path(), failure);
    if (is_in_memory(place)) GTEST_SKIP() << why_never_cold(place);
  }
  const trial_plan plan_{.method = "buffered", .measured_class = io_class::cold, .size = 3'000'000};
};

TEST_F(cold_trial_test, reads_what_was_evicted_from_the_device) {
  const trial_result trial = runner_.run(plan_);
  EXPECT_EQ(trial.bytes_cached, 0U);
  for (const char* reason : {"not cold", "the cache drop failed", "read cold", "what was read"})
    EXPECT_FALSE(has_reason(trial, reason)) << reason;
  EXPECT_GE(trial.device_bytes_read.value_or(0), trial.bytes);
}

TEST_F(cold_trial_test, is_found_out_where_a_page_stays_in_memory) {
  static_cast<void>(runner_.run(plan_));
  // A page that someone has mapped is not evicted.
  const int file = ::open(kept_file().c_str(), O_RDONLY | O_CLOEXEC);
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 1 << 20);
  ASSERT_NE(page, MAP_FAILED);
  const trial_result trial = runner_.run(plan_);
  ::munmap(page, 4096);
  ::close(file);
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_GT(trial.bytes_cached, 0U);
  EXPECT_TRUE(has_reason(trial, "not cold"));
}

TEST(reading_trial, reads_nothing_cold_from_memory) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm that can be written to";
  const test::temporary_directory directory{"/dev/shm"};
  file_runner runner{directory.path(), test::no_preparation()};
  trial_plan plan{.method = "buffered", .measured_class = io_class::cold, .size = 100'000};
  EXPECT_THROW(static_cast<void>(runner.run(plan)), error);
  plan.measured_class = io_class::warm;
  const trial_result trial = runner.run(plan);
  EXPECT_EQ(trial.bytes_cached, trial.bytes);
}

}  // namespace
}  // namespace freshet::tool

// Provokes each gate for which that is possible: by another process, a quota, memory that is held, files that change,
// and file systems that hide their device.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/freshet_command.hpp"
#include "tests/support/instant_memory.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing_process.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/run_queue.hpp"
#include "tool/trial/file_runner.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t image_size = std::uint64_t{400} << 20;

// A disk for one test, to which no other process writes.
class own_disk : public testing::Test {
 protected:
  /// Explains why it cannot be mounted; empty if it is mounted.
  std::string mount(const std::string& type) {
    disk_.emplace(directory_.path(), type, image_size);
    return disk_->why_not();
  }
  const fs::path& place() const { return disk_->path(); }
  file_runner& runner() {
    if (!runner_) runner_.emplace(place(), test::no_preparation());
    return *runner_;
  }

  test::temporary_directory directory_;
  std::optional<test::mounted_image> disk_;
  std::optional<file_runner> runner_;
};

// On each file system.
class own_disk_of : public own_disk, public testing::WithParamInterface<const char*> {};

TEST_P(own_disk_of, has_no_neighbours_where_nobody_else_writes) {
  if (const std::string why = mount(GetParam()); !why.empty()) GTEST_SKIP() << why;
  for (const io_class measured_class : {io_class::none, io_class::each_write, io_class::cold}) {
    SCOPED_TRACE(to_string(measured_class));
    const trial_result trial = runner().run({.method = "buffered",
                                             .block = 65536,
                                             .measured_class = measured_class,
                                             .workload = workload_kind::blocks,
                                             .size = 20'000'000});
    EXPECT_TRUE(trial.device_bytes.has_value()) << "then nobody knows";
    // Beside a journal, it may remain unknown who wrote to the disk, but no other writer may be reported.
    EXPECT_THAT(trial.reasons, Not(Contains(HasSubstr("others wrote"))));
    EXPECT_THAT(trial.reasons, Not(Contains(HasSubstr("another process"))));
  }
}

INSTANTIATE_TEST_SUITE_P(all, own_disk_of, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& type) { return std::string{type.param}; });

// Takes 6 s: two files of 100 MB on a disk that somebody else writes to all the time.
TEST_F(own_disk, has_a_neighbour_who_is_named) {
  if (const std::string why = mount("ext4"); !why.empty()) GTEST_SKIP() << why;
  const test::writing_process stranger{place() / "stranger", test::writing_process::without_end};
  stranger.begin();
  for (const io_class measured_class : {io_class::none, io_class::cold}) {
    const trial_result trial = runner().run({.method = "buffered",
                                             .measured_class = measured_class,
                                             .workload = workload_kind::blocks,
                                             .size = 100'000'000});
    EXPECT_NE(trial.validity, trial_validity::valid);
    EXPECT_THAT(trial.reasons, Contains(HasSubstr("stranger "))) << to_string(measured_class);
    EXPECT_GE(trial.written_by_others.at(test::writing_process::name), std::uint64_t{1} << 20);
  }
}

TEST_F(own_disk, is_not_that_of_who_writes_elsewhere) {
  if (const std::string why = mount("ext4"); !why.empty()) GTEST_SKIP() << why;
  const test::writing_process stranger{directory_ / "stranger", test::writing_process::without_end};
  stranger.begin();
  const trial_result trial =
      runner().run({.method = "buffered", .workload = workload_kind::blocks, .size = 50'000'000});
  EXPECT_TRUE(fs::exists(directory_ / "stranger"));
  EXPECT_THAT(trial.written_by_others, IsEmpty());
  EXPECT_THAT(trial.reasons, Not(Contains(HasSubstr("stranger"))));
}

TEST_F(own_disk, may_compress_what_is_then_unknown) {
  if (const std::string why = mount("btrfs"); !why.empty()) GTEST_SKIP() << why;
  if (::mount(nullptr, place().c_str(), nullptr, MS_REMOUNT, "compress-force=zstd") != 0)
    GTEST_SKIP() << "it cannot be told to compress";
  const trial_result trial = runner().run({.method = "buffered", .size = 50'000'000});
  EXPECT_NE(trial.validity, trial_validity::valid);  // a slow machine may know a reason why it is invalid
  EXPECT_THAT(trial.reasons, Contains(HasSubstr("btrfs may compress")));
}

TEST(memory, has_no_device_to_be_seen) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm that can be written to";
  const test::temporary_directory directory{"/dev/shm"};
  file_runner runner{directory.path(), test::no_preparation()};
  for (const target_kind target : {target_kind::fresh, target_kind::overwrite}) {
    const trial_result trial = runner.run({.method = "buffered", .target = target, .size = 1'000'000});
    EXPECT_THAT(trial.reasons, Contains("the device below tmpfs cannot be seen"));
    EXPECT_THAT(trial.reasons, Not(Contains(HasSubstr("cache drop"))));
  }
}

// Processes that want all processors, several times over.
class busy_processes {
 public:
  busy_processes() {
    for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i) {
      const pid_t process = ::fork();
      if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that was killed, none is left
        for (volatile unsigned spin = 0;;) spin = spin + 1;
      }
      processes_.push_back(process);
    }
  }
  busy_processes(const busy_processes&) = delete;
  busy_processes& operator=(const busy_processes&) = delete;
  ~busy_processes() {
    for (const pid_t process : processes_) ::kill(process, SIGKILL);
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }

 private:
  std::vector<pid_t> processes_;
};

// Takes 3 s: the processes leave a trial, and its threads, a fifth of the processors.
TEST(processors, that_others_have_are_found_out) {
  if (read_run_delays().empty()) GTEST_SKIP() << "the kernel does not count how long threads wait";
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm that can be written to";
  const test::temporary_directory directory{"/dev/shm"};
  file_runner runner{directory.path(), test::no_preparation()};
  const busy_processes load;
  for (const unsigned jobs : {1U, 2U}) {
    SCOPED_TRACE(jobs);
    const trial_result trial = runner.run({.method = "buffered", .size = 100'000'000 / jobs, .jobs = jobs});
    EXPECT_EQ(trial.validity, trial_validity::disturbed);
    EXPECT_THAT(trial.reasons, Contains(HasSubstr("others had the processors for ")));
    EXPECT_GT(trial.cpu_waited.value_or(0), waited_share * trial.seconds_to_close);
    EXPECT_LE(trial.cpu_waited.value_or(0), trial.seconds_to_close);
  }
}

// A file that is read cold, and its pages.
class cold_file : public testing::Test {
 protected:
  void SetUp() override {
    std::error_code failure;
    const detail::os::file_system place = detail::os::file_system_of(directory_.path(), failure);
    if (is_in_memory(place)) GTEST_SKIP() << why_never_cold(place);
    static_cast<void>(run());
  }
  trial_result run() {
    return runner_.run({.method = "buffered", .measured_class = io_class::cold, .size = 3'000'000});
  }
  fs::path file() const {
    for (const auto& entry : fs::recursive_directory_iterator{directory_.path()})
      if (entry.path().filename().string().starts_with("kept-")) return entry.path();
    return {};
  }

  test::temporary_directory directory_;
  file_runner runner_{directory_.path(), test::no_preparation()};
};

TEST_F(cold_file, cannot_be_dropped_while_its_memory_is_locked) {
  constexpr std::size_t length = 64 << 10;
  const int opened = ::open(file().c_str(), O_RDONLY | O_CLOEXEC);
  void* const pages = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, opened, 0);
  ASSERT_EQ(::syscall(SYS_mlock, pages, length), 0);  // a sanitizer's mlock() does nothing
  const trial_result trial = run();
  ::munmap(pages, length);
  ::close(opened);
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_THAT(trial.reasons, Contains(testing::MatchesRegex(
                                 "the cache drop failed: [0-9]+ bytes stayed in memory; does another process hold "
                                 "them\\?")));
  EXPECT_THAT(run().reasons, Not(Contains(HasSubstr("cache drop")))) << "the next one is not spoilt";
}

TEST_F(cold_file, cannot_be_dropped_where_the_system_refuses) {
  trial_result trial;
  {
    test::fault_injection faults;
    faults.fail_always(detail::os::call::advise, std::errc::io_error);
    trial = run();
  }
  EXPECT_EQ(trial.validity, trial_validity::invalid);
  EXPECT_THAT(trial.reasons, Contains(testing::AllOf(HasSubstr("the cache drop failed: "), HasSubstr("kept-"))));
}

// A control group of version 1 or 2 with a hundredth of a processor.
class tiny_quota {
 public:
  tiny_quota() {
    const std::string name = "freshet-test-" + std::to_string(::getpid());
    for (const auto& [root, file, quota] : {std::tuple{"/sys/fs/cgroup/cpu/", "cpu.cfs_quota_us", "10000"},
                                            {"/sys/fs/cgroup/", "cpu.max", "10000 100000"},
                                            {"/sys/fs/cgroup/unified/", "cpu.max", "10000 100000"}}) {
      const fs::path group = root + name;
      std::error_code failure;
      if (!fs::create_directory(group, failure)) continue;
      path_ = group;
      if (fs::exists(group / file) && (std::ofstream{group / file} << quota << std::flush).good()) return;
      fs::remove(std::exchange(path_, {}), failure);
    }
  }
  tiny_quota(const tiny_quota&) = delete;
  tiny_quota& operator=(const tiny_quota&) = delete;
  ~tiny_quota() {
    std::error_code failure;
    if (!path_.empty()) fs::remove(path_, failure);
  }

  [[nodiscard]] bool exists() const { return !path_.empty(); }
  void put(pid_t process) const { std::ofstream{path_ / "cgroup.procs"} << process << std::flush; }

 private:
  fs::path path_;
};

// Takes 5 s: what the quota leaves the trials of a processor is little.
TEST(quota, withholds_time_and_is_found_out) {
  const tiny_quota group;
  if (!group.exists()) GTEST_SKIP() << "no control group can be made here";
  const test::temporary_directory directory;
  const test::freshet_command freshet;
  const fs::path out = directory / "json";
  const pid_t process = freshet.start({"bench", directory.path().string(), "--method", "buffered", "--size", "120M",
                                       "--rounds", "2", "--no-store", "--json", out.string()});
  group.put(process);
  const test::ended done = freshet.wait_for(process);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto figures = nlohmann::json::parse(test::content_of(out));
  const auto& last = figures.at("trials").back();
  EXPECT_EQ(last.at("verdict"), "disturbed");
  EXPECT_THAT(last.at("reasons").get<std::vector<std::string>>(), Contains(HasSubstr("a quota withheld ")));
  EXPECT_GT(last.at("quota_seconds").get<double>(), 0);
}

}  // namespace
}  // namespace freshet::tool

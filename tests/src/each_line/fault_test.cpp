// Tests freshet::each_line when it is stopped and when reading or writing fails, and how much memory it uses.
#include <freshet/each_line.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/pool.hpp"
#include "src/os/file.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/each_line.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/soak.hpp"

namespace freshet {
namespace {

using detail::os::call;
using sizes = std::vector<std::size_t>;
using test::content_of;
using test::fault_injection;
using test::fill;
using test::names_in;
using test::numbered_lines;
using testing::ElementsAre;

void unchanged(std::string_view line, line_sink& out) { out.write_line(line); }

class each_line_fault_test : public test::each_line_test {
 protected:
  // Returns the error; without a code if there was none.
  template <typename Function>
  error run_and_catch(const Function& function, const each_line_options& options) {
    try {
      each_line(in_, out_, function, options);
    } catch (const error& failure) {
      return failure;
    }
    return {{}, "", ""};
  }
};

TEST_F(each_line_fault_test, error_names_a_file_that_cannot_be_read) {
  EXPECT_EQ(run_and_catch(unchanged, {}).path(), in_);
  EXPECT_EQ(run_and_catch(unchanged, {}).code(), std::errc::no_such_file_or_directory);
  std::filesystem::create_directory(in_);
  EXPECT_EQ(run_and_catch(unchanged, {}).code(), std::errc::is_a_directory);
  EXPECT_FALSE(exists(out_));
}

TEST_F(each_line_fault_test, error_names_a_file_that_cannot_be_created) {
  out_ = directory_ / "missing/out";
  for (const std::size_t lines : sizes{1, 1000}) {
    fill(in_, numbered_lines(lines));
    EXPECT_EQ(run_and_catch(unchanged, {.block = 100}).path(), out_);
    EXPECT_EQ(run_and_catch(unchanged, {.block = 100}).code(), std::errc::no_such_file_or_directory);
  }
}

TEST_F(each_line_fault_test, read_and_write_errors_are_reported_and_leave_no_output) {
  const std::vector<std::pair<call, std::errc>> faults_to_inject{{call::read_at, std::errc::io_error},
                                                                 {call::write_at, std::errc::io_error},
                                                                 {call::write, std::errc::no_space_on_device},
                                                                 {call::link, std::errc::io_error},
                                                                 {call::open, std::errc::too_many_files_open}};
  std::set<call> reported;
  // What fits one block is written by another call.
  for (const auto& [lines, block] : {std::pair{5000, 1000}, {5000, 1 << 20}, {5, 1 << 20}}) {
    fill(in_, numbered_lines(static_cast<std::size_t>(lines)));
    for (const auto& [kind, why] : faults_to_inject)
      for (const std::uint64_t nth : sizes{1, 2, 3}) {
        fault_injection faults;
        faults.fail(kind, nth, why);
        const auto failure = run_and_catch(unchanged, {.threads = 2, .block = static_cast<std::size_t>(block)});
        if (failure.code()) {
          reported.insert(kind);
          EXPECT_EQ(failure.code(), why);
          EXPECT_THAT(names_in(directory_.path()), ElementsAre("in")) << static_cast<int>(kind) << ' ' << nth;
        } else {
          EXPECT_EQ(content_of(out_), content_of(in_));
          EXPECT_TRUE(nth > 1 || faults.count(kind) == 0 || kind == call::open) << static_cast<int>(kind);
        }
        std::filesystem::remove(out_);
      }
  }
  for (const auto& [kind, why] : faults_to_inject) EXPECT_TRUE(reported.contains(kind)) << static_cast<int>(kind);
}

TEST_F(each_line_fault_test, outputs_before_the_failed_file_remain) {
  std::vector<file_pair> files;
  for (const std::string name : {"a", "b", "c"}) {
    files.push_back({directory_ / ("in " + name), directory_ / ("out " + name)});
    fill(files.back().in, name == "b" ? numbered_lines(1000) + "bad\n" : numbered_lines(1000));
  }
  const auto fails = [](std::string_view line, line_sink& out) {
    if (line == "bad") throw std::runtime_error{"bad"};
    out.write_line(line);
  };
  for (const std::size_t block : sizes{300, 1 << 20}) {
    EXPECT_THROW(each_line(std::span{std::as_const(files)}, fails, {.block = block}), line_error);
    EXPECT_FALSE(exists(files[1].out));
    EXPECT_EQ(content_of(files[0].out), numbered_lines(1000));
    EXPECT_TRUE(!exists(files[2].out) || content_of(files[2].out) == numbered_lines(1000));
    std::filesystem::remove(files[0].out);
  }
}

TEST_F(each_line_fault_test, a_stop_request_ends_the_run_and_leaves_no_output) {
  fill(in_, numbered_lines(50'000));
  for (const int after : {0, 1, 20'000}) {
    std::stop_source source;
    std::atomic<int> lines = 0;
    const auto stops = [&](std::string_view line, line_sink& out) {
      if (++lines >= after) source.request_stop();
      out.write_line(line);
    };
    if (after == 0) source.request_stop();
    const auto failure = run_and_catch(stops, {.threads = 2, .block = 1000, .stop = source.get_token()});
    EXPECT_EQ(failure.code(), std::errc::operation_canceled);
    EXPECT_EQ(failure.path(), in_);
    EXPECT_LT(lines, 30'000);
    EXPECT_THAT(names_in(directory_.path()), ElementsAre("in"));
  }
}

TEST_F(each_line_fault_test, progress_is_reported_and_may_end_the_run) {
  fill(in_, numbered_lines(5000));
  each_line_progress last;
  std::atomic<bool> reporting = false;
  const auto report = [&](const each_line_progress& now) {
    EXPECT_FALSE(reporting.exchange(true)) << "called by two threads at the same time";
    EXPECT_GE(now.lines, last.lines);
    last = now;
    reporting = false;
  };
  const auto done = each_line(in_, out_, unchanged, {.block = 1000, .progress = report});
  EXPECT_EQ(last.lines, 5000);
  EXPECT_EQ(last.files, 1);
  EXPECT_EQ(last.bytes_written, done.bytes_written);
  const auto fails = [](const each_line_progress&) { throw std::logic_error{"enough"}; };
  EXPECT_THROW(each_line(in_, out_, unchanged, {.progress = fails}), std::logic_error);
}

TEST_F(each_line_fault_test, rejects_sizes_above_the_limits) {
  fill(in_, "");
  EXPECT_EQ(run_and_catch(unchanged, {.threads = 1025}).code(), std::errc::invalid_argument);
  EXPECT_EQ(run_and_catch(unchanged, {.block = std::size_t{2} << 30}).code(), std::errc::invalid_argument);
  EXPECT_EQ(run_and_catch(unchanged, {.in_flight = 2049}).code(), std::errc::invalid_argument);
  EXPECT_FALSE(run_and_catch(unchanged, {.threads = 64}).code());
}

TEST_F(each_line_fault_test, reads_and_writes_pipes) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  ASSERT_EQ(::pipe2(to.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(from.data(), O_CLOEXEC), 0);
  const auto text = numbered_lines(50'000);
  const auto feeding = std::async(std::launch::async, [&] {
    auto out = writer::on_descriptor(to[1], ownership::take);
    out.write(text);
    out.close();
  });
  auto draining = std::async(std::launch::async, [&] {
    auto in = reader::on_descriptor(from[0], ownership::take);
    const auto bytes = in.view(2 * text.size());
    return std::string{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  });
  auto in = reader::on_descriptor(to[0], ownership::take);
  auto out = writer::on_descriptor(from[1], ownership::take);
  EXPECT_EQ(each_line(in, out, unchanged, {.threads = 3, .block = 5000}).lines, 50'000);
  out.close();
  EXPECT_TRUE(draining.get() == text);
}

TEST_F(each_line_fault_test, reads_a_named_pipe) {
  ASSERT_EQ(::mkfifo(in_.c_str(), 0600), 0);
  const auto text = numbered_lines(50'000);
  const auto feeding = std::async(std::launch::async, [&] { std::ofstream{in_} << text; });
  each_line(in_, out_, unchanged);
  EXPECT_TRUE(content_of(out_) == text);
}

TEST_F(each_line_fault_test, a_full_device_is_an_error) {
  fill(in_, numbered_lines(50'000));
  reader in{in_};
  auto out = writer::on_descriptor(::open("/dev/full", O_WRONLY | O_CLOEXEC), ownership::take);
  try {
    each_line(in, out, unchanged);
    out.close();
    ADD_FAILURE() << "accepted";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), std::errc::no_space_on_device);
  }
}

// Returns the peak memory of this process in bytes since it was reset.
std::size_t peak_memory() {
  std::ifstream in{"/proc/self/status"};
  for (std::string word; in >> word;)
    if (word == "VmHWM:") {
      std::size_t kib = 0;
      in >> kib;
      return kib * 1024;
    }
  return 0;
}

bool reset_peak_memory() {
  std::ofstream out{"/proc/self/clear_refs"};
  out << 5 << std::flush;
  return out.good();
}

// Sanitizers multiply the memory that a program uses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_counts = false;
#else
constexpr bool memory_counts = true;
#endif

class each_line_memory_test : public test::each_line_test {
 protected:
  static constexpr std::size_t mib = std::size_t{1} << 20;

  void SetUp() override {
    if (!memory_counts || !reset_peak_memory()) GTEST_SKIP() << "the peak memory cannot be measured here";
    setenv("FRESHET_PROFILE", "none", 1);
    detail::forget_profiles();
  }
  void TearDown() override {
    unsetenv("FRESHET_PROFILE");
    detail::forget_profiles();
  }

  void expect_bounded(std::size_t length, unsigned threads) {
    make_input(length);
    detail::pool::release_idle();
    reset_peak_memory();
    const auto before = peak_memory();
    each_line(in_, out_, unchanged, {.threads = threads});
    const std::size_t lines = threads * 2 * (length > mib ? length : 0);  // each line and its result
    EXPECT_LE(peak_memory() - before, 40 * mib + lines) << threads << " threads, lines of " << length;
  }

  // Uses a method with a queue, and large blocks.
  void make_profile() {
    std::error_code error;
    file_system_profile entry;
    entry.key = detail::os::file_system_of(directory_.path(), error).key;
    entry.winners[0] = write_settings{.method = "uring", .block = 16 * mib, .depth = 2};
    entry.cold = entry.warm = read_settings{.method = "uring", .block = 16 * mib, .depth = 2};
    save_profile(directory_ / "profile", entry);
    setenv("FRESHET_PROFILE", (directory_ / "profile").c_str(), 1);
    detail::forget_profiles();
  }

 private:
  void make_input(std::size_t length) const {
    writer out{in_, {.method = "buffered"}};
    const auto line = std::string(length - 1, 'x') + '\n';
    while (out.tell() < 96 * mib) out.write(line);
    out.close();
  }
};

TEST_F(each_line_memory_test, stays_below_the_documented_limit) {
  std::vector<std::pair<std::size_t, unsigned>> cases;
  for (const std::size_t length : sizes{30, 400'000, 8 * mib})
    for (const unsigned threads : {1U, 2U, 16U}) cases.emplace_back(length, threads);
  // Each writes and reads 96 MiB.
  for (const auto& [length, threads] : test::sample(cases, 3)) expect_bounded(length, threads);
}

TEST_F(each_line_memory_test, stays_below_the_limit_with_large_blocks_in_the_profile) {
  make_profile();
  for (const unsigned threads : {1U, 16U}) expect_bounded(1000, threads);
}

// Takes 2 s: 5 million lines, several times the memory that is allowed.
TEST_F(each_line_memory_test, stays_below_the_limit_for_small_files) {
  std::vector<file_pair> files;
  for (std::size_t number = 0; number < 500; ++number) {
    const auto name = std::to_string(number);
    files.push_back({directory_ / ("in" + name), directory_ / ("out" + name)});
    fill(files.back().in, numbered_lines(10'000));
  }
  detail::pool::release_idle();
  reset_peak_memory();
  const auto before = peak_memory();
  each_line(std::span{std::as_const(files)}, unchanged, {.threads = 32});
  EXPECT_LE(peak_memory() - before, 40 * mib);
}

TEST_F(each_line_fault_test, results_are_never_read_again) {
  const auto text = numbered_lines(20'000);
  const auto refused = [](const auto& run) {
    try {
      run();
    } catch (const error& why) {
      return why.code() == std::errc::invalid_argument;
    }
    return false;
  };
  std::filesystem::create_symlink(in_, directory_ / "link");
  for (const auto mode : {open_mode::append, open_mode::overwrite})
    for (const auto& out : {in_, directory_ / "link"}) {
      fill(in_, text);
      each_line_options options;
      options.output.mode = mode;
      EXPECT_TRUE(refused([&] { each_line(in_, out, unchanged, options); }));
      EXPECT_EQ(test::content_of(in_), text);
      each_line(in_, directory_ / "other", unchanged, options);
    }
  EXPECT_EQ(test::content_of(directory_ / "other"), text) << "written over in the end";
  reader in{in_};
  writer out{in_, {.mode = open_mode::append}};
  EXPECT_TRUE(refused([&] { each_line(in, out, unchanged); }));
  each_line(in_, in_, unchanged);
  EXPECT_EQ(test::content_of(in_), text);
}

// The stored size says little of what there is to do: all of this is one small file.
TEST_F(each_line_fault_test, a_stop_and_progress_reach_into_a_small_compressed_file) {
  if (const auto reason = test::why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "the same line\n";
  test::write_compressed(in_, text);
  ASSERT_LT(std::filesystem::file_size(in_), 8 << 10) << "it would be read by many threads";
  each_line_options options{.threads = 2};
  options.input = test::decompressed();
  std::atomic<std::uint64_t> lines = 0;
  std::stop_source source;
  options.stop = source.get_token();
  const auto stop_soon = [&](std::string_view, line_sink&) {
    if (++lines == 1000) source.request_stop();
  };
  EXPECT_THROW(each_line(in_, out_, stop_soon, options), error);
  EXPECT_LT(lines, 100'000U);
  EXPECT_FALSE(std::filesystem::exists(out_));

  options.stop = {};
  std::uint64_t reported = 0;
  bool was_part = false;
  options.progress = [&](const each_line_progress& now) {
    EXPECT_GE(now.lines, reported);
    was_part |= now.lines > 0 && now.files == 0;
    reported = now.lines;
  };
  // When the first block ends, the time to report has come.
  const auto slow_once = [&, first = true](std::string_view, line_sink&) mutable {
    if (std::exchange(first, false)) std::this_thread::sleep_for(std::chrono::milliseconds{150});
  };
  options.threads = 1;
  const auto done = each_line_with(
      in_, out_, [&] { return slow_once; }, options);
  EXPECT_TRUE(was_part);
  EXPECT_EQ(reported, 1'000'000U);
  EXPECT_EQ(done.lines, 1'000'000U);
  EXPECT_EQ(done.bytes_read, text.size());
  EXPECT_EQ(done.files, 1U);
}

}  // namespace
}  // namespace freshet

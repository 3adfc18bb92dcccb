// `freshet bytes`: the ways that it measures, and the command as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "lab/bytes/report.hpp"
#include "lab/bytes/ways.hpp"
#include "tests/support/freshet_command.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

std::string expected_content(std::size_t size) {
  std::string text;
  for_each_piece(size, [&](std::span<const unsigned char> piece) { text.append(piece.begin(), piece.end()); });
  return text;
}

std::uint64_t sum_of(const std::string& text) {
  return std::accumulate(text.begin(), text.end(), std::uint64_t{0},
                         [](std::uint64_t sum, char byte) { return sum + static_cast<unsigned char>(byte); });
}

class each_byte_way : public testing::TestWithParam<byte_way> {
 protected:
  fs::path file() const { return directory_.path() / "file"; }
  test::temporary_directory directory_;
};

// The sizes lie on both sides of the length after which the pattern repeats; the buffers are smaller or larger.
TEST_P(each_byte_way, takes_every_byte_in_order) {
  const std::size_t stretch = byte_pattern().size();
  for (const std::size_t size : {std::size_t{1}, stretch - 1, stretch, 3 * stretch + 7})
    for (const std::size_t buffer : {std::size_t{0}, std::size_t{1024}, std::size_t{65536}}) {
      if (buffer != 0 && !GetParam().takes_buffer(buffer)) continue;
      const std::string expected = expected_content(size);
      const bool writes = GetParam().goes == direction::write;
      if (!writes) std::ofstream{file(), std::ios::binary} << expected;
      const byte_work work = GetParam().run({.path = file(), .size = size, .buffer = buffer});
      const byte_count& done = work.done;
      EXPECT_EQ(done.bytes, size);
      if (work.wanted != "auto") {
        EXPECT_EQ(work.used, work.wanted);
      }
      EXPECT_TRUE(content_of(file()) == expected) << size << " bytes with a buffer of " << buffer;
      EXPECT_EQ(done.sum, writes ? 0 : sum_of(expected));
    }
}

TEST_P(each_byte_way, says_what_it_cannot_open) {
  EXPECT_THROW(GetParam().run({.path = directory_.path() / "none" / "file", .size = 1}), error);
}

INSTANTIATE_TEST_SUITE_P(all, each_byte_way, testing::ValuesIn(byte_ways()), [](const auto& way) {
  std::string name{way.param.name};
  for (char& letter : name)
    if (letter == '.' || letter == '+' || letter == '-') letter = '_';
  return name;
});

TEST(byte_ways, say_that_the_disk_is_full) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const byte_way& way : byte_ways())
    if (way.goes == direction::write) {
      EXPECT_THROW(way.run({.path = "/dev/full", .size = 1 << 20}), error) << way.name;
    }
}

TEST(byte_pattern, has_a_sum_that_is_known_without_a_file) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, byte_pattern().size() * 2 + 3})
    EXPECT_EQ(expected_bytes(size), (byte_count{size, sum_of(expected_content(size))}));
}

byte_row row_of(std::string_view way, std::size_t buffer, std::vector<double> seconds) {
  const auto at = std::find_if(byte_ways().begin(), byte_ways().end(), [&](const auto& it) { return it.name == way; });
  byte_row row{.plan = {&*at, buffer}};
  for (const double each : seconds) {
    trial_result made;
    made.round = static_cast<unsigned>(row.trials.size());
    made.bytes = 100'000'000;
    made.seconds_to_close = made.seconds_to_disk = each;
    row.trials.push_back(made);
  }
  return row;
}

TEST(bytes_report, compares_round_by_round_with_the_fastest_buffer) {
  const std::vector<byte_row> rows = {row_of("fwrite", 0, {1, 2, 4}), row_of("putc", 0, {1, 2, 4}),
                                      row_of("putc", 65536, {0.5, 1, 2}), row_of("getc", 0, {0.1, 0.1, 0.1})};
  const std::string report = format_byte_rows(rows, 10'000);
  EXPECT_THAT(report, testing::ContainsRegex("WAY +DEFAULT +64 KiB +SPREAD +CPU s/GB +x fwrite +range\n"
                                             "fwrite +50.0 +- +[0-9.]+ % +[0-9.]+\n"
                                             "putc +50.0 +100 .* 2.00 +[0-9.]+-[0-9.]+\n"));
  EXPECT_THAT(report, testing::ContainsRegex("WAY +DEFAULT +SPREAD +CPU s/GB +x fread +range\ngetc +1000 .* - +-\n"));
  EXPECT_THAT(report, testing::Not(HasSubstr("invalid")));
  EXPECT_THAT(format_byte_rows(rows, 1200), HasSubstr("makes 1200 MB/s: it takes a large part of the time of getc."));
}

TEST(bytes_report, leaves_out_what_is_invalid_and_says_why) {
  std::vector<byte_row> rows = {row_of("fread", 0, {1, 1}), row_of("getc", 0, {1, 0.1})};
  for (const std::size_t row : {0U, 1U}) {
    rows[row].trials[1].validity = trial_validity::invalid;
    rows[row].trials[1].reasons = {"not warm"};
  }
  rows[0].trials[0].validity = trial_validity::invalid;
  rows[0].trials[0].reasons = {"not warm"};
  const std::string report = format_byte_rows(rows, 10'000);
  EXPECT_THAT(report, testing::ContainsRegex("fread +invalid +- +-\ngetc +100 "));
  EXPECT_THAT(report, HasSubstr("fread: 2 of 2 invalid: not warm\ngetc: 1 of 2 invalid: not warm\n"));
}

class bytes_command : public testing::Test {
 protected:
  bytes_command() { setenv("FRESHET_PROFILE", "none", 1); }

  std::string file(const std::string& name = "file") const { return measured_.path() / name; }
  ended run(const std::vector<std::string>& more) const {
    return test::undisturbed([&] { return freshet_.run(words(more)); });
  }
  static std::vector<std::string> words(std::vector<std::string> more) {
    more.insert(more.begin(), "bytes");
    return more;
  }
  bool nothing_left() const { return fs::is_empty(measured_.path()); }

  test::freshet_command freshet_;
  test::temporary_directory measured_{test::undisturbed_place()};
};

TEST_F(bytes_command, measures_every_way_and_leaves_nothing) {
  const ended done = run({file(), "--size", "256K", "--rounds", "1", "--buffer", "1K,64K"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  for (const byte_way& way : byte_ways()) EXPECT_THAT(done.out, HasSubstr("\n" + std::string{way.name} + " "));
  EXPECT_THAT(done.out, testing::ContainsRegex("WAY +DEFAULT +1 KiB +64 KiB +SPREAD"));
  EXPECT_THAT(done.out, testing::ContainsRegex("writer.put +(! )?[0-9.]+ +- +(! )?[0-9.]+ "));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("invalid:")));
  EXPECT_THAT(done.out, HasSubstr("written in all: "));
  EXPECT_TRUE(nothing_left());
}

TEST_F(bytes_command, writes_every_trial_as_json) {
  const ended done = run({file(), "--size", "128K", "--rounds", "2", "--ways", "putc_unlocked,getc", "--buffer",
                          "4K,8M", "--json", "-", "--keep"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.at("trials").size(), 12U);
  EXPECT_EQ(json.at("bytes_written"), (1 + 6) * 128 * 1024);
  std::set<std::pair<std::string, std::size_t>> plans;
  for (const auto& each : json.at("trials")) {
    plans.emplace(each.at("way"), each.at("buffer"));
    EXPECT_EQ(each.at("bytes"), 128 * 1024);
    EXPECT_GT(each.at("bytes_compared"), 0);
    EXPECT_NE(each.at("verdict"), "invalid") << each.dump();
    EXPECT_EQ(each.at("direction"), each.at("way") == "getc" ? "read" : "write");
    EXPECT_EQ(each.at("bytes_cached").is_null(), each.at("way") != "getc");
  }
  EXPECT_EQ(plans.size(), 6U);
  EXPECT_TRUE(content_of(file()) == expected_content(128 * 1024)) << "kept, and whole";
}

TEST_F(bytes_command, exits_2_for_wrong_usage_and_does_nothing) {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {file(), "--size", "0"},
                                                       {file(), "--size", "1X"},
                                                       {file(), "--ways", "fwrite,fgetwc"},
                                                       {file(), "--ways", ""},
                                                       {file(), "--buffer", "1000"},
                                                       {file(), "--buffer", "512"},
                                                       {file(), "--buffer", "128M"},
                                                       {file(), "--rounds", "0"}};
  for (const auto& each : wrong) {
    const ended tried = run(each);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(each);
    EXPECT_EQ(tried.out, "");
  }
  EXPECT_THAT(run({file(), "--ways", "fputs"}).err, HasSubstr("\"fputs\" is not a way: expected, to write, fwrite,"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(bytes_command, replaces_a_file_only_with_force) {
  std::ofstream{file()} << "precious";
  const std::vector<std::string> small = {file(), "--size", "4K", "--rounds", "1", "--ways", "putc"};
  const ended refused = run(small);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(content_of(file()), "precious");
  std::vector<std::string> forced = small;
  forced.emplace_back("--force");
  EXPECT_EQ(run(forced).exit_code, 0);
  EXPECT_TRUE(nothing_left());
  std::ofstream{file("other")} << "precious";
  fs::create_symlink(file("other"), file());
  EXPECT_EQ(run(forced).exit_code, 1);
  EXPECT_EQ(content_of(file("other")), "precious");
}

TEST_F(bytes_command, exits_1_with_the_reason) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> failing = {
      {{measured_.path()}, "Is a directory"},
      {{measured_.path(), "--force"}, "Is a directory"},
      {{"/dev/null", "--force"}, "regular file"},
      {{file("none/a"), "--size", "4K"}, "No such file or directory"},
      {{file(), "--size", "1G", "--max-bytes", "2G"}, "--max-bytes"},
      {{file(), "--size", "4000000G", "--ways", "getc", "--max-bytes", "8000000T"}, "No space left on device"}};
  for (const auto& [words, reason] : failing) {
    const ended tried = run(words);
    EXPECT_EQ(tried.exit_code, 1) << testing::PrintToString(words);
    EXPECT_THAT(tried.err, HasSubstr(reason));
    EXPECT_EQ(tried.out, "");
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(bytes_command, removes_its_file_after_a_signal) {
  constexpr std::array<std::pair<int, int>, 2> expected = {{{SIGINT, 130}, {SIGTERM, 143}}};
  for (const auto& [signal, exit_code] : expected) {
    const pid_t process = freshet_.start(words({file(), "--size", "1M", "--ways", "putc,getc", "--rounds", "10000"}));
    while (waitpid(process, nullptr, WNOHANG) == 0 && !fs::exists(file()))
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    kill(process, signal);
    EXPECT_EQ(freshet_.wait_for(process).exit_code, exit_code);
    EXPECT_TRUE(nothing_left());
  }
}

TEST_F(bytes_command, shows_its_progress_on_a_terminal) {
  const ended done =
      freshet_.run_on_terminal(words({file(), "--size", "4K", "--rounds", "1", "--ways", "putc", "--buffer", "4K"}));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("trial 2 of 2: putc"));
}

TEST_F(bytes_command, helps_with_an_example) {
  const ended help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* words : {"Example", "--ways", "putc_unlocked", "--keep"}) EXPECT_THAT(help.out, HasSubstr(words));
}

}  // namespace
}  // namespace freshet::tool

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
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "lab/bytes/ways.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tests/tool/command/measuring_command.hpp"
#include "tool/command/arguments.hpp"

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

class bytes_command : public test::measuring_command {
 protected:
  bytes_command() : measuring_command{test::undisturbed_place()} {}

  using measuring_command::file;
  std::string file() const { return file("file"); }
  ended run(const std::vector<std::string>& more) const {
    return test::undisturbed([&] { return freshet_.run(words(more)); });
  }
  static std::vector<std::string> words(std::vector<std::string> more) {
    more.insert(more.begin(), "bytes");
    return more;
  }
};

TEST_F(bytes_command, measures_every_way_and_leaves_nothing) {
  const test::temporary_directory results;
  const std::string json = results / "json";
  const ended done =
      run({file(), "--size", "256K", "--rounds", "1", "--buffer", "1K,64K", "--seed", "7", "--json", json});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const auto result = nlohmann::json::parse(content_of(json));
  std::map<std::string, std::set<std::size_t>> buffers;
  for (const auto& each : result.at("trials")) {
    buffers[each.at("way")].insert(each.at("buffer").get<std::size_t>());
    EXPECT_NE(each.at("verdict"), "invalid") << each.dump();
  }
  for (const byte_way& way : byte_ways()) {
    std::set<std::size_t> wanted{0};
    for (const std::size_t buffer : {std::size_t{1024}, std::size_t{65536}})
      if (way.takes_buffer(buffer)) wanted.insert(buffer);
    EXPECT_EQ(buffers[std::string{way.name}], wanted) << way.name;
  }
  EXPECT_EQ(buffers.at("writer.put"), (std::set<std::size_t>{0, 65536}));
  EXPECT_THAT(done.out, testing::StartsWith("Writing one byte per call"));
  EXPECT_THAT(done.out, testing::EndsWith(format_end(result.at("bytes_written"), 7)));
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
      {{directory()}, "Is a directory"},
      {{directory(), "--force"}, "Is a directory"},
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

TEST_F(bytes_command, helps_with_an_example) { EXPECT_TRUE(helps_with_an_example("bytes")); }

}  // namespace
}  // namespace freshet::tool

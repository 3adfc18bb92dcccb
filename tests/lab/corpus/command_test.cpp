// Corpora, and the command that creates them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "lab/corpus/corpus.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::HasSubstr;

corpus_progress make(const fs::path& directory, const corpus_plan& plan, bool force = false) {
  return make_corpus(directory, plan, force, [](const corpus_progress&) {});
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class corpus : public testing::Test {
 protected:
  test::temporary_directory directory_;
};

TEST_F(corpus, has_the_requested_files_lines_and_characters) {
  // Lines shorter than, as long as, and longer than the pieces that are generated at a time.
  for (const std::uint64_t chars : {0U, 1U, 20U, 32767U, 32768U, 32769U, 100'000U}) {
    const fs::path place = directory_ / std::to_string(chars);
    const corpus_plan plan{.files = 3, .lines = 7, .chars = chars};
    const corpus_progress total = make(place, plan);
    EXPECT_EQ(total.files, 3U);
    EXPECT_EQ(total.lines, 21U);
    EXPECT_EQ(total.bytes, 21 * (chars + 1));
    EXPECT_EQ(total.bytes, corpus_bytes(plan));
    EXPECT_EQ(std::distance(fs::directory_iterator{place}, {}), 3);
    for (const char* name : {"00001.txt", "00002.txt", "00003.txt"}) {
      const std::string text = content_of(place / name);
      EXPECT_EQ(text.size(), 7 * (chars + 1));
      const auto lines = lines_of(place / name);
      ASSERT_EQ(lines.size(), 7U);
      for (const std::string& line : lines) {
        ASSERT_EQ(line.size(), chars);
        EXPECT_TRUE(std::ranges::all_of(line, [](char each) { return each >= '0' && each <= 'o'; }));
      }
      if (chars >= 20) {
        EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), 7U);
      }
    }
  }
}

TEST_F(corpus, may_have_empty_files) {
  EXPECT_EQ(make(directory_.path(), {.files = 2, .lines = 0, .chars = 9}).bytes, 0U);
  EXPECT_TRUE(fs::is_empty(directory_ / "00002.txt"));
}

TEST_F(corpus, depends_on_the_seed_and_not_on_the_number_of_files) {
  for (const bool vary : {false, true}) {
    const corpus_plan plan{.files = 2, .lines = 50, .chars = 30, .vary = vary, .seed = 9};
    const auto make_two = [&](const std::string& name, const corpus_plan& wanted) {
      make(directory_ / name, wanted, true);
      return std::pair{content_of(directory_ / name / "00001.txt"), content_of(directory_ / name / "00002.txt")};
    };
    const auto first = make_two("a", plan);
    EXPECT_NE(first.first, first.second);
    corpus_plan more = plan;
    more.files = 5;
    EXPECT_EQ(make_two("b", more), first);
    corpus_plan other = plan;
    other.seed = 10;
    EXPECT_NE(make_two("c", other).first, first.first);
  }
}

TEST_F(corpus, has_the_documented_characters) {
  make(directory_.path(), {.files = 1, .lines = 2, .chars = 24});
  EXPECT_EQ(content_of(directory_ / "00001.txt"), R"(JbmRM<4UAjUb2Ei@HT:UKg`9
2>hF`TZ;8<VNN9bHf<URB96\
)");
}

TEST_F(corpus, varies_around_the_means) {
  const corpus_plan plan{.files = 300, .lines = 100, .chars = 40, .vary = true};
  const corpus_progress total = make(directory_.path(), plan);
  const double lines = static_cast<double>(total.lines) / 300;
  const double chars = static_cast<double>(total.bytes) / static_cast<double>(total.lines) - 1;
  EXPECT_NEAR(lines, 100, 30);
  EXPECT_NEAR(chars, 40, 2);
  EXPECT_NEAR(static_cast<double>(corpus_bytes(plan)), static_cast<double>(total.bytes),
              static_cast<double>(total.bytes) / 20);
  std::vector<double> logs;
  std::set<std::size_t> lengths;
  for (unsigned number = 1; number <= 300; ++number) {
    const auto each = lines_of(directory_ / corpus_file_name(number));
    logs.push_back(std::log(static_cast<double>(each.size())));
    for (const auto& line : each) lengths.insert(line.size());
  }
  std::ranges::sort(logs);
  // With σ = 1, the median is the mean divided by e^(σ²/2), and two thirds of all lie within σ of it.
  EXPECT_NEAR(logs[150], std::log(100) - 0.5, 0.3);
  EXPECT_NEAR((logs[252] - logs[48]) / 2, 1, 0.3);
  EXPECT_GT(lengths.size(), 50U);
}

TEST_F(corpus, is_refused_if_no_disk_can_hold_it) {
  constexpr auto most = ~std::uint64_t{0};
  for (const corpus_plan& plan : {corpus_plan{.files = 1, .lines = most, .chars = most},
                                  corpus_plan{.files = 1, .lines = 1, .chars = most, .vary = true},
                                  corpus_plan{.files = 99'999, .lines = std::uint64_t{1} << 36, .chars = 1}})
    EXPECT_THROW(make(directory_.path(), plan, true), std::invalid_argument);
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(corpus, leaves_no_unfinished_file) {
  const corpus_plan plan{.files = 3, .lines = 1000, .chars = 1000};
  const auto stop_in_second = [](const corpus_progress& done) {
    if (done.bytes > 1'500'000) throw std::runtime_error{"stop"};
  };
  EXPECT_THROW(make_corpus(directory_.path(), plan, false, stop_in_second), std::runtime_error);
  EXPECT_EQ(fs::file_size(directory_ / "00001.txt"), 1'001'000U);
  EXPECT_EQ(std::distance(fs::directory_iterator{directory_.path()}, {}), 1);
}

TEST_F(corpus, names_the_file_and_offset_when_the_disk_is_full) {
  const test::mounted_image small{directory_.path(), "ext4", std::uint64_t{32} << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  try {
    make(small.path(), {.files = 3, .lines = 20'000, .chars = 1000}, true);
    FAIL() << "60 MB do not fit 32 MiB";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), std::errc::no_space_on_device);
    EXPECT_EQ(failure.path(), small.path() / "00002.txt");
    EXPECT_NE(failure.offset(), error::no_offset);
  }
  EXPECT_EQ(fs::file_size(small.path() / "00001.txt"), 20'020'000U);
  EXPECT_FALSE(fs::exists(small.path() / "00002.txt"));
}

TEST_F(corpus, names_the_file_that_it_may_not_write) {
  constexpr auto read_only = static_cast<fs::perms>(0555);
  fs::permissions(directory_.path(), read_only);
  try {
    const test::ordinary_user somebody;
    make(directory_.path(), {.files = 3, .lines = 2, .chars = 1});
    ADD_FAILURE() << "nobody may write there";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), std::errc::permission_denied);
    EXPECT_EQ(failure.path(), directory_ / "00001.txt");
  }
  fs::permissions(directory_.path(), fs::perms::owner_all);
}

TEST_F(corpus, reports_a_read_only_file_system) {
  const test::mounted_image image{directory_.path(), "tmpfs", std::uint64_t{1} << 20};
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  ASSERT_TRUE(image.make_read_only());
  EXPECT_THAT([&] { make(image.path(), {.files = 1, .lines = 2, .chars = 1}); },
              testing::ThrowsMessage<error>(HasSubstr("00001.txt': Read-only file system")));
}

class corpus_command : public test::measuring_command {
 protected:
  static std::vector<std::string> words(const fs::path& directory, std::vector<std::string> more) {
    more.insert(more.begin(), {"corpus", directory.string()});
    return more;
  }
  ended run(const fs::path& directory, std::vector<std::string> more) const {
    return freshet_.run(words(directory, std::move(more)));
  }
  // Some small files, with `more` options.
  ended run_small(const fs::path& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--files", "3", "--lines", "4", "--chars", "5"};
    all.insert(all.end(), more.begin(), more.end());
    return run(directory, std::move(all));
  }

  // Does not reap an ended process, so that no other process gets its number.
  static bool is_running(pid_t process) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  }

  fs::path place_ = file("some/corpus");
};

TEST_F(corpus_command, creates_the_directory_and_reports_its_content) {
  const ended done = run_small(place_);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(done.out, testing::StartsWith(place_.string() + ": 3 files, 12 lines, 72 bytes, "));
  EXPECT_THAT(done.out, testing::EndsWith(" MB/s until closed\n"));
  EXPECT_EQ(lines_of(place_ / "00003.txt").size(), 4U);
}

TEST_F(corpus_command, writes_its_figures_as_json) {
  const ended done = run_small(place_, {"--vary", "--seed", "4", "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto figures = nlohmann::json::parse(done.out);
  EXPECT_EQ(figures.at("directory"), place_.string());
  EXPECT_EQ(figures.at("files"), 3);
  EXPECT_EQ(figures.at("seed"), 4);
  EXPECT_EQ(figures.at("vary"), true);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator{place_}) bytes += entry.file_size();
  EXPECT_EQ(figures.at("bytes"), bytes);
}

TEST_F(corpus_command, replaces_files_only_with_force) {
  fs::create_directories(place_);
  std::ofstream{place_ / "00002.txt"} << "precious";
  const ended refused = run_small(place_);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr((place_ / "00002.txt").string() + "': File exists (--force"));
  EXPECT_FALSE(fs::exists(place_ / "00001.txt")) << "nothing is written before that is known";
  EXPECT_EQ(content_of(place_ / "00002.txt"), "precious");
  EXPECT_EQ(run_small(place_, {"--force"}).exit_code, 0);
  EXPECT_EQ(fs::file_size(place_ / "00002.txt"), 24U);
}

TEST_F(corpus_command, refuses_to_replace_a_dangling_link) {
  fs::create_directories(place_);
  fs::create_symlink("nowhere", place_ / "00003.txt");
  EXPECT_EQ(run_small(place_).exit_code, 1);
  EXPECT_TRUE(fs::is_symlink(place_ / "00003.txt"));
}

TEST_F(corpus_command, exits_2_for_wrong_usage_and_does_nothing) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"--files", "1", "--lines", "1"},
      {"--files", "0", "--lines", "1", "--chars", "1"},
      {"--files", "100000", "--lines", "1", "--chars", "1"},
      {"--files", "-1", "--lines", "1", "--chars", "1"},
      {"--files", "1", "--lines", "-1", "--chars", "1"},
      {"--files", "1", "--lines", "1", "--chars", "x"},
      {"--files", "1", "--lines", "1", "--chars", "1", "--seed", "x"},
      {"--files", "9", "--lines", "1000000000000", "--chars", "1000000"}};
  for (const auto& each : wrong) {
    const ended tried = run(place_, each);
    EXPECT_EQ(tried.exit_code, 2) << testing::PrintToString(each);
    EXPECT_NE(tried.err, "");
  }
  EXPECT_THAT(run(place_, wrong.back()).err, HasSubstr("1 PiB"));
  EXPECT_FALSE(fs::exists(place_));
}

TEST_F(corpus_command, exits_1_with_the_reason) {
  std::ofstream{file("file")} << "x";
  const ended on_file = run_small(file("file"));
  EXPECT_EQ(on_file.exit_code, 1);
  EXPECT_THAT(on_file.err, HasSubstr(file("file") + "': Not a directory"));
  EXPECT_EQ(run_small(file("file/below")).exit_code, 1);
  const ended full = run(place_, {"--files", "99", "--lines", "1000000000", "--chars", "1000"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  EXPECT_THAT(full.err, HasSubstr("--force"));
  EXPECT_TRUE(fs::is_empty(place_));
}

TEST_F(corpus_command, leaves_no_unfinished_file_after_a_signal) {
  constexpr std::array<std::pair<int, int>, 2> expected = {{{SIGINT, 130}, {SIGTERM, 143}}};
  for (const auto& [signal, exit_code] : expected) {
    const pid_t process =
        freshet_.start(words(place_, {"--files", "99999", "--lines", "20000", "--chars", "1", "--force"}));
    while (is_running(process) && !fs::exists(place_ / "00002.txt"))
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    ASSERT_TRUE(is_running(process));
    kill(process, signal);
    EXPECT_EQ(freshet_.wait_for(process).exit_code, exit_code);
    for (const auto& entry : fs::directory_iterator{place_}) EXPECT_EQ(entry.file_size(), 40'000U) << entry.path();
    fs::remove_all(place_);
  }
}

TEST_F(corpus_command, shows_its_progress_on_a_terminal) {
  const ended done = freshet_.run_on_terminal(words(place_, {"--files", "2", "--lines", "1", "--chars", "1"}));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("file 1 of 2, "));
}

TEST_F(corpus_command, helps_with_examples) { EXPECT_TRUE(helps_with_an_example("corpus")); }

}  // namespace
}  // namespace freshet::tool

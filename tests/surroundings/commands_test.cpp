// The command's main calls in every surrounding: each answers, or says why it cannot.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/surroundings/surroundings.hpp"

namespace freshet::test {
namespace {

using std::filesystem::path;

constexpr unsigned longest_call = 120;  // seconds, after which it counts as hanging
constexpr std::uintmax_t text_bytes = 2 << 20;
constexpr int no_library = 127;  // the exit code where the system's loader fails

struct ended_call {
  int exit_code = -1;  // -signal if a signal killed it
  std::string out = {};
  std::string err = {};
};

// In the process of the call, whose outputs go to these descriptors.
void run_inside(const made_surrounding& made, std::vector<std::string> words, int out, int err) {
  const path home = made.home.empty() ? made.place().parent_path() / "home" : made.home;
  std::vector<std::string> settings{"HOME=" + home.string(), "TMPDIR=" + home.string(), "PATH=/usr/bin:/bin"};
  words.insert(words.begin(), made.place().parent_path() / "freshet");
  std::vector<char*> arguments, environment;
  for (auto& each : words) arguments.push_back(each.data());
  for (auto& each : settings) environment.push_back(each.data());
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  ::alarm(longest_call);
  if (::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0 || !enter(made)) return;
  ::execve(arguments.front(), arguments.data(), environment.data());
}

ended_call run(const made_surrounding& made, const std::vector<std::string>& words) {
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    run_inside(made, words, out[1], err[1]);
    ::_exit(no_library);
  }
  ::close(out[1]);
  ::close(err[1]);
  ended_call done{.out = all_from(out[0]), .err = all_from(err[0])};
  int status = 0;
  ::waitpid(child, &status, 0);
  done.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return done;
}

// What the command tells of a failure.
std::string wrong_refusal(const made_surrounding& made, const ended_call& done) {
  const bool may_lack_library = made.starves && done.exit_code == no_library;
  if (done.exit_code != 1 && done.exit_code != 128 + SIGXFSZ && !may_lack_library)
    return "exit code " + std::to_string(done.exit_code) + ", ";
  if (done.err.empty()) return "no reason, ";
  const auto says = [&done](std::string_view what) { return done.err.find(what) != std::string::npos; };
  return says("std::") || says("terminate") || says("filesystem error") ? "no plain words, " : "";
}

struct call {
  std::vector<std::string> words;
  std::function<bool(const ended_call& done)> is_done;  // whether it did what it says that it did
  bool must_work;
  bool must_fail = false;
};

std::string fault(const call& each, const made_surrounding& made, const ended_call& done) {
  std::string wrong;
  if (done.exit_code != 0)
    wrong = each.must_work ? "failed, " : wrong_refusal(made, done);
  else if (each.must_fail || !each.is_done(done))
    wrong = each.must_fail ? "no error, " : "its answer is not true, ";
  return wrong.empty() ? "" : each.words.front() + ": " + wrong + done.err + done.out + '\n';
}

// Other names than those that the calls were given.
std::string names_left(const path& directory) {
  constexpr std::array given{"file", "key", "lines", "sealed", "text"};
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator{directory})
    if (const std::string name = entry.path().filename(); std::ranges::find(given, name) == given.end())
      names += name + " is left\n";
  return names;
}

// Most calls of tune are not tried in a sample: each takes some seconds.
std::vector<call> calls(const made_surrounding& made, const std::string& content, bool with_tune) {
  const path place = made.place(), here = made.directory;
  const bool must_work = made.fate == data_fate::arrives && !made.starves && !made.may_refuse_open;
  const std::string file = place / "file", key = place / "key", sealed = place / "sealed", text = place / "text";
  const auto prints_content = [&content](const ended_call& done) { return done.out == content; };
  std::vector<call> all{{{"text", text, "--size", std::to_string(text_bytes)},
                         [here](const ended_call&) {
                           const auto size = std::filesystem::file_size(here / "text");
                           return size <= text_bytes && size > text_bytes - 1000;
                         },
                         must_work,
                         made.fate == data_fate::must_fail},
                        {{"seal", file, sealed, "--compress", "zstd", "--encrypt", "--key-file", key},
                         [here](const ended_call&) { return std::filesystem::exists(here / "sealed"); },
                         must_work},
                        {{"cat", file}, prints_content, must_work},
                        {{"cat", sealed, "--key-file", key}, prints_content, must_work},
                        // Of the laboratory, which freshet has to find and to start.
                        {{"corpus", place / "lines", "--files", "1", "--lines", "10", "--chars", "40"},
                         [here](const ended_call&) { return !std::filesystem::is_empty(here / "lines"); },
                         must_work}};
  if (with_tune)
    all.push_back({{"tune", place, "--size", "256K", "--max-bytes", "4M", "--time", "20s", "--workload", "blocks"},
                   [](const ended_call& done) { return !done.out.empty(); },
                   false});
  return all;
}

std::string try_calls(const made_surrounding& made, const path& programs, bool with_tune) {
  const std::string content = bytes_from(0, 50'000);
  const path beside = made.directory.parent_path();
  for (const char* const program : {"freshet", "freshet-lab"})
    std::filesystem::copy_file(programs / program, beside / program);
  std::filesystem::create_directory(beside / "home");
  std::ofstream{made.directory / "file"} << content;
  std::ofstream{made.directory / "key"} << bytes_from(1'000'000, 32);
  std::string faults;
  for (const call& each : calls(made, content, with_tune)) {
    faults += fault(each, made, run(made, each.words));
    faults += names_left(made.directory);
  }
  return faults;
}

class calls_in_surroundings : public testing::TestWithParam<surrounding> {};

TEST_P(calls_in_surroundings, answer_or_say_why_not) {
  if (GetParam().needs_root && ::geteuid() != 0) GTEST_SKIP() << "making it takes root";
  const temporary_directory scratch;
  std::filesystem::permissions(scratch.path(), std::filesystem::perms{0755});
  const bool with_tune = is_complete() || (sample_seed() ^ std::hash<std::string>{}(GetParam().name)) % 8 == 0;
  // Users other than this one may be unable to reach where it was built.
  const path programs = scratch / "programs";
  std::filesystem::create_directory(programs);
  for (const char* const program : {"freshet", "freshet-lab"})
    std::filesystem::copy_file(path{FRESHET_COMMAND_FOR_TESTS}.replace_filename(program), programs / program);
  const std::string faults = say_beside(
      GetParam(), scratch.path(), [&](const made_surrounding& made) { return try_calls(made, programs, with_tune); });
  if (faults.starts_with('?')) GTEST_SKIP() << faults.substr(1);
  EXPECT_EQ(faults, "");
}

INSTANTIATE_TEST_SUITE_P(all, calls_in_surroundings, testing::ValuesIn(all_surroundings()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace freshet::test

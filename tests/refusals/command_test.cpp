// The command's main calls, each with one system call refused from its start: an answer or a sentence.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/refusals/in_processes.hpp"
#include "tests/refusals/refused_uses.hpp"
#include "tests/support/freshet_command.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {
namespace {

constexpr std::size_t sampled_calls = 30;  // some 15 seconds on two processors

// Which words are names of files is for prepare() to know.
const std::vector<std::vector<std::string>> main_calls{
    {"tune", "d", "--size", "64K", "--time", "2s", "--max-bytes", "16M"},
    {"text", "file", "--size", "1M"},
    {"cat", "sealed", "--key-file", "key"},
    {"seal", "plain", "out", "--encrypt", "--key-file", "key"},
};

struct command_case {
  const std::vector<std::string>* words = nullptr;
  const refused_use* use = nullptr;
  int error = 0;
};

struct command_result {
  int exit_code = -1;
  char wrong[320] = "its process ended";
};

void prepare_command(const std::filesystem::path& directory, const freshet_command& freshet) {
  std::filesystem::create_directory(directory);
  std::filesystem::create_directory(directory / "d");
  std::filesystem::current_path(directory);
  std::ofstream{"key"} << std::string(32, 'k');
  std::filesystem::permissions("key", std::filesystem::perms{0600});
  std::ofstream{"plain"} << std::string(300'000, 'p');
  static_cast<void>(freshet.run({"seal", "plain", "sealed", "--encrypt", "--key-file", "key"}));
  for (const char* const each : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) ::setenv(each, directory.c_str(), 1);
}

std::string refusal_of(const system_call& call, int error) {
  std::string words = std::to_string(call.number) + ' ' + std::to_string(error);
  for (const argument_test& each : call.when)
    words += ' ' + std::to_string(each.number) + ' ' + std::to_string(each.mask) + ' ' + std::to_string(each.value);
  return words;
}

// Why this is neither an answer nor a sentence, which begins with the program's name; empty if it is. Who may not write
// can say nothing.
std::string wrong_end(const ended& done, const refused_use& use) {
  if (done.exit_code == 0) return {};
  if (done.exit_code != 1) return "exit code " + std::to_string(done.exit_code) + ": " + done.err;
  const bool is_mute = use.call.name.starts_with("write");
  return is_mute || done.err.starts_with("freshet") ? "" : "no sentence: " + done.err;
}

command_result try_command(const command_case& one, const std::filesystem::path& directory) {
  const freshet_command freshet;
  if (!std::filesystem::exists(directory)) prepare_command(directory, freshet);
  ::setenv("FRESHET_REFUSE", refusal_of(one.use->call, one.error).c_str(), 1);
  const ended done = freshet.run(*one.words);
  ::unsetenv("FRESHET_REFUSE");
  for (const char* const each : {"file", "out"}) std::filesystem::remove(each);
  command_result result{.exit_code = done.exit_code};
  std::snprintf(result.wrong, sizeof result.wrong, "%s", wrong_end(done, *one.use).c_str());
  return result;
}

TEST(refused_command, answers_or_says_why_not) {
  const temporary_directory place;
  std::vector<refused_use> uses = refused_uses();
  // Without close() no pipe ends, and who reads one waits forever. The kernel's brk() has no errors, and malloc() takes
  // one for the end of its first memory.
  std::erase_if(uses, [](const refused_use& each) { return each.call.name == "close" || each.call.name == "brk"; });
  std::vector<command_case> cases;
  for (const auto& words : main_calls)
    for (const refused_use& use : uses)
      for (const int error : {EPERM, ENOSYS, EINVAL}) cases.push_back({&words, &use, error});
  std::printf("[ matrix   ] 4 commands, %zu calls: %zu cases, about %.0f minutes\n", uses.size(), cases.size(),
              static_cast<double>(cases.size()) / 150);
  cases = sample(cases, sampled_calls);
  const auto begin = std::chrono::steady_clock::now();
  const auto results = in_processes<command_result>(cases.size(), [&](std::size_t i, unsigned process) {
    return try_command(cases[i], place / std::to_string(process));
  });
  std::size_t answers = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    answers += results[i].exit_code == 0 ? 1U : 0U;
    EXPECT_STREQ(results[i].wrong, "") << cases[i].words->front() << ", " << cases[i].use->call.name << ' '
                                       << ::strerrorname_np(cases[i].error);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("[ matrix   ] %zu cases in %.1f minutes: %zu answers; %zu sentences\n", cases.size(), passed.count() / 60,
              answers, cases.size() - answers);
}

}  // namespace
}  // namespace freshet::test

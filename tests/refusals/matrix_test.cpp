// Each system call of the library, refused in each way, with each thing that programs ask of it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/refusals/in_processes.hpp"
#include "tests/refusals/refused_uses.hpp"
#include "tests/refusals/watched_calls.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_trial.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trial_options.hpp"

namespace freshet::test {
namespace {

// What ./test tries: some 30 seconds on two processors.
constexpr std::size_t sampled_cases = 700;
constexpr std::size_t most_calls = 160;

struct matrix_case {
  const file_trial* trial = nullptr;
  const refused_use* use = nullptr;
  int error = 0;

  [[nodiscard]] std::string label() const {
    return use->call.name + ' ' + ::strerrorname_np(error) + ": " + trial->label();
  }
};

// What a process tells of a trial.
struct case_result {
  outcome what = outcome::broken;
  bool is_right = false;
  char message[320] = "its process ended";
};

// Whether open(), write() or read(), and close() alone work, which is what must be enough for programs that name
// nothing.
bool works_alone(const matrix_case& one, const std::string& path) {
  const bool writes = one.trial->writes();
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
  if (!writes) std::ofstream{path} << "bytes";
  const bool works = true_in_child([&] {
    ::alarm(longest_trial);
    if (!refuse_call(one.use->call, one.error)) return false;
    std::vector<char> bytes(1 << 20, 'b');
    const int flags = writes ? O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
    const int file = ::open(path.c_str(), flags, 0600);
    const auto moved = writes ? ::write(file, bytes.data(), bytes.size()) : ::read(file, bytes.data(), bytes.size());
    return file >= 0 && moved > 0 && ::close(file) == 0;
  });
  std::filesystem::remove(path);
  return works;
}

// Who appends or edits has to know where the file's bytes are, and everybody needs memory.
bool may_be_told(const matrix_case& one, outcome what) {
  const bool goes_to_positions =
      one.trial->does == trial_program::edited_stream || one.trial->writing.mode == open_mode::append;
  if (what == outcome::refused_at_open && goes_to_positions && one.use->call.number == SYS_newfstatat) return true;
  return one.use->without == effect::no_memory && what != outcome::broken;
}

case_result try_case(const matrix_case& one, const std::filesystem::path& place) {
  const auto directory = place / "files";
  std::filesystem::create_directories(directory);
  const verdict got = try_surrounded(*one.trial, directory, [&] { return refuse_call(one.use->call, one.error); });
  case_result result{got.what, is_right(*one.trial, got.what) || may_be_told(one, got.what)};
  const bool told_of_it = got.what == outcome::refused_later || got.what == outcome::refused_at_open;
  if (!result.is_right && told_of_it) result.is_right = !works_alone(one, place / "alone");
  std::snprintf(result.message, sizeof result.message, "%s", got.message.c_str());
  return result;
}

// The calls, by their numbers in `uses`, that the trial makes.
using used_calls = std::array<bool, most_calls>;

used_calls watch_trial(const file_trial& trial, const std::vector<refused_use>& uses,
                       const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  void* const memory = ::mmap(nullptr, sizeof(used_calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& used = *new (memory) used_calls{};
  static_cast<void>(try_surrounded(trial, directory, [&] {
    return watch_calls([&](const seccomp_data& call) {
      for (std::size_t i = 0; i < uses.size(); ++i) used[i] = used[i] || is_use_of(call, uses[i].call);
    });
  }));
  const used_calls copied = used;
  ::munmap(memory, sizeof(used_calls));
  return copied;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class refusals : public testing::Test {
 protected:
  // A directory of each process, on a disk: files in memory have no use for most calls.
  [[nodiscard]] std::filesystem::path place_of(unsigned process) const { return directory_ / std::to_string(process); }

  // Only what a program makes can be refused it.
  std::vector<matrix_case> all_cases() const {
    const auto begin = std::chrono::steady_clock::now();
    const auto used = in_processes<used_calls>(trials_.size(), [&](std::size_t i, unsigned process) {
      return watch_trial(trials_[i], uses_, place_of(process) / "files");
    });
    std::vector<matrix_case> cases;
    for (std::size_t i = 0; i < trials_.size(); ++i)
      for (std::size_t k = 0; k < uses_.size(); ++k)
        for (const int error : used[i][k] ? uses_[k].errors : std::vector<int>{})
          cases.push_back({&trials_[i], &uses_[k], error});
    const double each = seconds_since(begin) / static_cast<double>(trials_.size());
    std::printf("[ matrix   ] %zu programs, %zu calls: %zu cases, about %.0f minutes\n", trials_.size(), uses_.size(),
                cases.size(), each * static_cast<double>(cases.size()) / 60);
    return cases;
  }

 private:
  temporary_directory directory_{disk_place()};
  const std::vector<file_trial> trials_ = all_trials();
  const std::vector<refused_use> uses_ = refused_uses();
};

TEST_F(refusals, end_in_one_of_four_ways) {
  const std::vector<matrix_case> cases = sample(all_cases(), sampled_cases);
  const auto begin = std::chrono::steady_clock::now();
  const auto results = in_processes<case_result>(
      cases.size(), [&](std::size_t i, unsigned process) { return try_case(cases[i], place_of(process)); });
  std::map<outcome, std::size_t> counts;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ++counts[results[i].what];
    if (!results[i].is_right)
      ADD_FAILURE() << cases[i].label() << "\n  " << name_of(results[i].what) << ": " << results[i].message;
  }
  std::printf("[ matrix   ] %zu cases in %.1f minutes:", cases.size(), seconds_since(begin) / 60);
  for (const auto& [what, count] : counts) std::printf(" %zu %s;", count, std::string{name_of(what)}.c_str());
  std::printf("\n");
}

TEST(seam_calls, has_a_call_for_each_kind) {
  const auto calls = seam_calls();
  for (int kind = 0; kind <= static_cast<int>(detail::os::call::wait); ++kind)
    EXPECT_TRUE(std::ranges::find(calls, static_cast<detail::os::call>(kind), &seam_call::kind) != calls.end())
        << "no call is listed for kind " << kind;
  EXPECT_LE(refused_uses().size(), most_calls);
}

}  // namespace
}  // namespace freshet::test

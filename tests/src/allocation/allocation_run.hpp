// Runs an operation again and again, each time in a process of its own in which another allocation fails.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/src/allocation/failing_allocations.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/writing.hpp"

namespace freshet::test {

/// What a process tells of its run.
struct allocation_run {
  std::size_t allocations = 0;
  std::string complaint;  ///< what was not as it should be; empty if nothing
};

/// Runs `work` in a child process. It lets allocations `first` to `last` fail where it creates the failing_allocations
/// that it is passed the numbers for, and returns what is wrong.
using allocation_work = std::function<std::string(std::size_t first, std::size_t last)>;

[[nodiscard]] inline allocation_run run_in_child(const allocation_work& work, std::size_t first, std::size_t last) {
  int ends[2] = {};
  if (::pipe(ends) != 0) return {.complaint = "no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string complaint = work(first, last);
    const std::string told = std::to_string(failing_allocations::count()) + ' ' + complaint;
    const auto written = ::write(ends[1], told.data(), told.size());
    ::_exit(written == static_cast<ssize_t>(told.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::istringstream told{all_from(ends[0])};
  int status = -1;
  ::waitpid(child, &status, 0);
  allocation_run run;
  told >> run.allocations;
  std::getline(told >> std::ws, run.complaint, '\0');
  if (WIFSIGNALED(status)) run.complaint += "ended by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    run.complaint += "exit code " + std::to_string(WEXITSTATUS(status));
  return run;
}

/// Whether that is how a file tells of it; a method that was named and lacks memory does not work here.
[[nodiscard]] inline bool is_lack_of_memory(std::error_code why) {
  return why == std::errc::not_enough_memory || why == std::errc::operation_not_supported;
}

/// Whether a method works in `directory`. Asked in a child, because each run is to find this out by itself.
[[nodiscard]] inline bool works(std::string_view method, const std::filesystem::path& directory) {
  return true_in_child([&] { return why_not(method, directory).empty(); });
}

/// Expects `work` to be right whichever of its allocations fails: that one alone, or all from it on. Complete runs let
/// each of them fail, others some.
inline void expect_to_survive_each(const std::string& name, const allocation_work& work, std::size_t some = 2) {
  SCOPED_TRACE(name);
  const allocation_run undisturbed = run_in_child(work, failing_allocations::never, failing_allocations::never);
  ASSERT_EQ(undisturbed.complaint, "");
  ASSERT_GT(undisturbed.allocations, 0U);
  for (const std::uint64_t number : sample(numbers_to(undisturbed.allocations), some))
    for (const std::size_t last : {static_cast<std::size_t>(number), failing_allocations::never}) {
      const allocation_run run = run_in_child(work, number, last);
      EXPECT_EQ(run.complaint, "") << "allocation " << number << (last == number ? "" : " and all later ones");
    }
}

}  // namespace freshet::test

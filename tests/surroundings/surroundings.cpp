#include "tests/surroundings/surroundings.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>

#include "tests/support/file_content.hpp"

namespace freshet::test {
namespace {

std::string answer_of(const std::function<std::string()>& work) {
  if (::geteuid() == 0 &&
      (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0))
    return "?there is no mount namespace for it";
  try {
    return work();
  } catch (const std::exception& failure) {
    return std::string{failure.what()} + '\n';
  }
}

// The user comes back to be root where it enters the surrounding.
bool become_nobody(const made_surrounding& made) {
  return std::ranges::all_of(std::array{made.directory.parent_path(), made.directory},
                             [](const auto& each) { return ::chown(each.c_str(), nobody, nobody) == 0; }) &&
         ::seteuid(nobody) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;  // another user loses it
}

}  // namespace

std::vector<surrounding> all_surroundings() {
  std::vector<surrounding> all = confined_surroundings();
  for (auto& more : {poor_file_systems(), small_limits()}) std::ranges::copy(more, std::back_inserter(all));
  return all;
}

std::string say_in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "there is no pipe\n";
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends[0]);
    const std::string answer = answer_of(work);
    const ssize_t told = ::write(ends[1], answer.data(), answer.size());
    ::_exit(told == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  const std::string answer = all_from(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0 ? answer : "the process ended with the status " + std::to_string(status) + '\n' + answer;
}

std::string say_beside(const surrounding& one, const std::filesystem::path& scratch,
                       const std::function<std::string(const made_surrounding&)>& work) {
  return say_in_child([&] {
    const made_surrounding made = one.make(scratch);
    if (!made.why_not.empty()) return '?' + made.why_not;
    if (made.is_of_nobody && !become_nobody(made)) return std::string{"this cannot be done as nobody\n"};
    return work(made);
  });
}

bool enter(const made_surrounding& made) {
  if (made.is_of_nobody && ::seteuid(0) != 0) return false;
  if (made.enter && !made.enter()) return false;
  if (made.is_of_nobody && ::setresuid(nobody, nobody, nobody) != 0) return false;
  return !made.limit || made.limit();
}

}  // namespace freshet::test

// Work in a child process that sees less of the system.
#pragma once

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/support/file_content.hpp"

namespace freshet::test {

/// What a confined child tells.
struct confined_answer {
  std::string why_not;    ///< why the child could not be confined; empty if it was
  std::string complaint;  ///< what its work threw; empty if nothing
};

/// Puts the process into a user namespace in which this user is root and nobody else has a number. Returns why not.
[[nodiscard]] inline std::string enter_user_namespace() {
  const auto user = std::to_string(::geteuid());
  const auto group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) != 0) return "no user namespaces: " + std::generic_category().message(errno);
  std::ofstream{"/proc/self/setgroups"} << "deny";
  std::ofstream users{"/proc/self/uid_map"};
  std::ofstream groups{"/proc/self/gid_map"};
  users << "0 " + user + " 1" << std::flush;
  groups << "0 " + group + " 1" << std::flush;
  return users && groups ? "" : "the user namespace gets no users";
}

/// Makes `directory` the root of the process: nothing else is there, /proc neither. Returns why not.
[[nodiscard]] inline std::string enter_root(const std::filesystem::path& directory) {
  if (::geteuid() != 0) {
    if (std::string why_not = enter_user_namespace(); !why_not.empty()) return why_not;
  }
  if (::chroot(directory.c_str()) == 0 && ::chdir("/") == 0) return {};
  return "the root cannot be changed: " + std::generic_category().message(errno);
}

/// Calls `confine`, which returns why it could not, and then `work` in a child.
template <typename Confine, typename Work>
[[nodiscard]] confined_answer ask_confined(Confine confine, Work work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {.why_not = {}, .complaint = "no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string told;
    try {
      const std::string why_not = confine();
      told = why_not.empty() ? "done" : "not " + why_not;
      if (why_not.empty()) work();
    } catch (const std::exception& failure) {
      told = std::string{"bad "} + failure.what();
    }
    const auto written = ::write(ends[1], told.data(), told.size());
    ::_exit(written == static_cast<ssize_t>(told.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  const std::string told = all_from(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  if (told.starts_with("not ")) return {.why_not = told.substr(4), .complaint = {}};
  if (told.starts_with("bad ")) return {.why_not = {}, .complaint = told.substr(4)};
  return {.why_not = {}, .complaint = told == "done" && status == 0 ? "" : "the child ended early"};
}

}  // namespace freshet::test

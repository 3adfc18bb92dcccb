// The ranks of a program that is built without MPI: this process alone.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <freshet/error.hpp>

#include "lab/ranks/ranks.hpp"
#include "tool/command/laboratory.hpp"

namespace freshet::tool {

ranks& all_ranks() {
  static ranks alone;
  return alone;
}

void join_ranks(char* const* words) {
  const unsigned processes = launched_processes();
  if (processes < 2) return;
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("freshet-lab-mpi");
  ::execv(program.c_str(), words);
  throw error{std::error_code{errno, std::system_category()}, "run", program, error::no_offset,
              fmt::format("{} processes were started, and only freshet-lab-mpi can connect them", processes)};
}

void leave_ranks(int /*exit_code*/) noexcept {}

}  // namespace freshet::tool

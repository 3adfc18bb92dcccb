// The processes of a run of the program that knows no MPI: this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <freshet/error.hpp>

#include "tool/ranks/launched.hpp"
#include "tool/ranks/ranks.hpp"

namespace freshet::tool {
namespace {

class only_rank final : public ranks {
 public:
  [[nodiscard]] unsigned number() const noexcept override { return 0; }
  [[nodiscard]] unsigned count() const noexcept override { return 1; }
  [[nodiscard]] std::string from_first(std::string_view text) override { return std::string{text}; }
  [[nodiscard]] std::vector<std::string> to_first(std::string_view text) override { return {std::string{text}}; }
  void meet() override {}
};

}  // namespace

ranks& all_ranks() {
  static only_rank alone;
  return alone;
}

void join_ranks(char* const* words) {
  const unsigned processes = launched_processes();
  if (processes < 2) return;
  const auto other = std::filesystem::read_symlink("/proc/self/exe").replace_filename("freshet-mpi");
  ::execv(other.c_str(), words);
  throw error{std::error_code{errno, std::system_category()}, "run", other, error::no_offset,
              fmt::format("this is one of {} processes, which only that program brings together", processes)};
}

void leave_ranks(int /*exit_code*/) noexcept {}

}  // namespace freshet::tool

// The processes of one run: this process alone, or those that mpirun started. The words are MPI's: a rank is a process
// of the run, and rank 0 is the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// Thrown on a rank where nothing failed when another rank reports a failure. It is no std::exception, because the root
/// has already printed the reason.
struct failed_elsewhere {};

/// The ranks of a run; this class itself is a process alone. Every rank must call broadcast(), gather() and barrier(),
/// and in the same order.
class ranks {
 public:
  ranks() = default;
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  virtual ~ranks() = default;

  /// The number of this process, from 0.
  [[nodiscard]] virtual unsigned number() const noexcept { return 0; }
  [[nodiscard]] virtual unsigned count() const noexcept { return 1; }
  /// Returns the root's `text` on every rank.
  [[nodiscard]] virtual std::string broadcast(std::string_view text) { return std::string{text}; }
  /// Returns the `text` of every rank, in rank order, at the root; an empty vector elsewhere.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view text) { return {std::string{text}}; }
  /// Returns when every rank has called it.
  virtual void barrier() {}

  [[nodiscard]] bool is_root() const noexcept { return number() == 0; }
};

/// The ranks of this process's run. In a process that mpirun started, the first call waits for the other processes.
/// @throws std::runtime_error  if they cannot be reached
[[nodiscard]] ranks& all_ranks();

/// To be called first in main(). If mpirun started this process and the program is built without MPI, replaces it by
/// freshet-lab-mpi in the same directory, with the same command line. Precondition: `words` ends with a null pointer.
/// @throws freshet::error  if there is no such program
void join_ranks(char* const* words);

/// To be called last in main(), with the exit code of this process. If it is the only process that fails, the others
/// are ended after some seconds.
void leave_ranks(int exit_code) noexcept;

}  // namespace freshet::tool

// The processes of one run: this one alone, or those that mpirun started.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// Number 0 leads and reports. Every function but number() and count() is called by all of them, in the same order.
class ranks {
 public:
  ranks() = default;
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  virtual ~ranks() = default;

  [[nodiscard]] virtual unsigned number() const noexcept = 0;
  [[nodiscard]] virtual unsigned count() const noexcept = 0;
  /// What rank 0 has as `text`.
  [[nodiscard]] virtual std::string from_first(std::string_view text) = 0;
  /// At rank 0, what each has as `text`, by number; empty elsewhere.
  [[nodiscard]] virtual std::vector<std::string> to_first(std::string_view text) = 0;
  /// Returns when all have called it.
  virtual void meet() = 0;

  [[nodiscard]] bool leads() const noexcept { return number() == 0; }
};

/// Those of this process's run. The first call of a process that mpirun started waits for the others'.
/// @throws std::runtime_error  where they cannot be reached
[[nodiscard]] ranks& all_ranks();

/// For main(), before all else: has a process that mpirun started, but that knows no MPI, go on as the program beside
/// it that does, with the same `words` of the command line, a null pointer behind the last.
/// @throws freshet::error  where there is none
void join_ranks(char* const* words);

/// For main(), after all else: this process will end with `exit_code`. Where it is the only one that fails, the others
/// are ended, too.
void leave_ranks(int exit_code) noexcept;

}  // namespace freshet::tool

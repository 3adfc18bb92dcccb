// What happened to an open file, for its statistics and for users who ask for it with FRESHET_LOG=1.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <freshet/path_argument.hpp>
#include <freshet/statistics.hpp>

#include "src/method/change_log.hpp"

namespace freshet::detail {

/// What the methods of one file did, while one runs and afterwards.
class file_history {
 public:
  /// For how many transfers the wait for the next one, of `bytes` bytes, counts; 0 if it need not be timed. Reading the
  /// clock twice takes a twentieth of the time of a small write, so one in 16 of those counts for all.
  [[nodiscard]] unsigned stands_for(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t small = 4096;
    constexpr unsigned one_in = 16;
    if (bytes >= small) return 1;
    return ++small_transfers_ % one_in == 0 ? one_in : 0;
  }
  /// Counts `bytes` bytes, for which the file waited `waited` seconds, for the method.
  void add(std::string_view method, std::uint64_t bytes, double waited) noexcept;
  /// Keeps the changes of a method that is about to end; null: it makes none.
  void end(const change_log* changes) noexcept;
  /// The statistics of a file of `bytes` bytes; `running`: the changes of the method in use, null if it makes none.
  /// @throws std::bad_alloc
  [[nodiscard]] file_statistics statistics(std::uint64_t bytes, const change_log* running) const;

 private:
  std::array<method_share, 4> shares_{};  // no file uses more methods
  change_log changes_;
  unsigned small_transfers_ = 0;
};

/// Adds what a file read to what it wrote.
void add_statistics(const file_statistics& more, file_statistics& result);

/// Whether FRESHET_LOG=1 is in the environment.
[[nodiscard]] bool is_log_wanted() noexcept;
/// Prints "freshet: <verb> <path>: <description>" on standard error.
void print_log(std::string_view verb, const native_string& path, const file_statistics& statistics);

}  // namespace freshet::detail

/// @file
/// What happened to an open file: which methods wrote it, how long the program waited for them, and when and why the
/// method was changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/detail/export.hpp>

namespace freshet {

/// What one method did for a file.
struct method_share {
  std::string_view method;    ///< its name
  std::uint64_t bytes = 0;    ///< that it took; those still in flight are among them
  double seconds_waited = 0;  ///< for which the program waited until it took them
};

/// A change from one method to another while the file was open.
struct method_change {
  std::uint64_t offset = 0;   ///< bytes from the file's start: the first one that the new method took
  double seconds = 0;         ///< since the first method began
  double seconds_waited = 0;  ///< for which the program waited for the change itself
  std::string_view from;      ///< the method before
  std::string_view to;        ///< the method afterwards
  std::string_view reason;    ///< why, in English
};

/// What happened to a file. A file that ended before its first block was full was written by no method, so it has no
/// shares.
struct file_statistics {
  std::uint64_t bytes = 0;                  ///< in the file, as far as is known without a system call
  std::vector<method_share> methods = {};   ///< in the order in which they were first used
  std::vector<method_change> changes = {};  ///< the first 64, in their order
  std::uint64_t all_changes = 0;            ///< how many there were
};

/// Returns one line: "1073741824 bytes; buffered 25165824 (0.081 s), uring 1048576000 (0.662 s); at 25165824 from
/// buffered to uring: the device takes more than the page cache".
/// @param statistics  what to describe
[[nodiscard]] FRESHET_API std::string describe(const file_statistics& statistics);

}  // namespace freshet

/// @file
/// The history of an open file: which methods wrote or read it, how long the program waited for them, and when and why
/// the method was changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/detail/export.hpp>

namespace freshet {

/// The share of one method in a file.
struct method_share {
  std::string_view method;    ///< its name
  std::uint64_t bytes = 0;    ///< that it took, those still in flight among them, or that it read
  double seconds_waited = 0;  ///< for which the program waited until it took or had them
};

/// A change from one method to another while the file was open.
struct method_change {
  std::uint64_t offset = 0;   ///< bytes from the file's start: the first one of the new method
  double seconds = 0;         ///< since the first method began
  double seconds_waited = 0;  ///< for which the program waited for the change itself
  std::string_view from;      ///< the method before
  std::string_view to;        ///< the method afterwards
  std::string_view reason;    ///< why, in English
};

/// The history of a file. A file that ended before its first block was full was written or read by no method, so it
/// has no shares.
struct file_statistics {
  std::uint64_t bytes = 0;  ///< in the written file, as far as is known without a system call, or that were read
  std::vector<method_share> methods = {};   ///< in the order in which they were first used
  std::vector<method_change> changes = {};  ///< the first 64, in their order
  std::uint64_t all_changes = 0;            ///< how many there were
};

/// Returns one line: "1073741824 bytes; buffered 25165824 (0.081 s), writebehind 1048576000 (0.412 s); at 25165824 from
/// buffered to writebehind: to see how fast it is".
/// @param statistics  of an open or closed file
[[nodiscard]] FRESHET_API std::string describe(const file_statistics& statistics);

}  // namespace freshet

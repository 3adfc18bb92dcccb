// Whether a file holds what a workload writes: the workload is run again, into a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "os/file.hpp"
#include "pool.hpp"

namespace freshet::tool {

/// Takes what a file ought to hold, in any pieces, and compares it with what it does hold: on the device, where it can
/// be read past the page cache.
class file_comparer {
 public:
  /// @throws freshet::error  when `path` can't be opened
  explicit file_comparer(const std::filesystem::path& path);

  /// @throws freshet::error  when the file can't be read
  void write(std::span<const std::byte> expected);
  void write(std::string_view expected) { write(std::as_bytes(std::span{expected})); }

  /// Whether all was the same so far, and the file ends here.
  [[nodiscard]] bool same_to_the_end();

 private:
  // Reads on when the buffer is used up; false at the end of the file.
  bool fill();

  std::filesystem::path path_;
  os::file file_;
  block buffer_;
  std::span<const std::byte> unread_;
  std::uint64_t offset_ = 0;
  bool same_ = true;
};

}  // namespace freshet::tool

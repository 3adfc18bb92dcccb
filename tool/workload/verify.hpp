// Whether a file holds what a workload writes: the workload is run again, into a comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string_view>

#include "src/os/file.hpp"
#include "src/pool.hpp"

namespace freshet::tool {

/// Which blocks of a file are read: the first, the last, and one in so many of the rest, at random.
struct sampling {
  unsigned one_in = 1;
  std::uint64_t seed = 1;
};

/// Takes what a file ought to hold, in any pieces, and compares it with what it does hold: on the device, where it can
/// be read past the page cache.
class file_comparer {
 public:
  /// @throws freshet::error  when `path` can't be opened
  explicit file_comparer(const std::filesystem::path& path, sampling how = {});

  /// @throws freshet::error  when the file can't be read
  void write(std::span<const std::byte> expected);
  void write(std::string_view expected) { write(std::as_bytes(std::span{expected})); }

  /// Whether all that was compared was the same so far, and the file ends here.
  [[nodiscard]] bool same_to_the_end() const noexcept;
  [[nodiscard]] std::uint64_t bytes_compared() const noexcept { return compared_; }

 private:
  bool next_block();
  void read_block(std::size_t length);

  std::filesystem::path path_;
  detail::os::file file_;
  std::uint64_t size_ = 0;
  sampling how_;
  std::mt19937_64 random_;
  detail::block buffer_;
  std::span<const std::byte> unread_;  // of the block that is looked at
  std::size_t ignored_ = 0;            // bytes to come of one that is not
  std::uint64_t offset_ = 0;           // of the next block
  std::uint64_t compared_ = 0;
  bool same_ = true;
};

}  // namespace freshet::tool

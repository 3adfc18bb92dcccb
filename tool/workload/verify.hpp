// Checks that a file has the content that a workload writes: the workload runs again and writes to a comparer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <freshet/reader.hpp>

#include "src/base/pool.hpp"
#include "src/os/file.hpp"

namespace freshet::tool {

/// Which blocks of a file are compared: the first, the last, and one in `one_in` of the others, at random.
struct sampling {
  unsigned one_in = 1;
  std::uint64_t seed = 1;
};

/// Compares a file with its expected content, which is written to the comparer in pieces of any length. Reads past the
/// page cache if the file system allows that, so it compares what the device has.
class file_comparer {
 public:
  /// @throws freshet::error  if `path` cannot be opened
  explicit file_comparer(const std::filesystem::path& path, sampling how = {});

  /// @throws freshet::error  if the file cannot be read
  void write(std::span<const std::byte> expected);
  void write(std::string_view expected) { write(std::as_bytes(std::span{expected})); }

  /// Whether all blocks that were compared are as expected, and the file ends here.
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
  std::span<const std::byte> unread_;  // the rest of a block that is compared
  std::size_t ignored_ = 0;            // bytes left of a block that is not compared
  std::uint64_t offset_ = 0;           // of the next block
  std::uint64_t compared_ = 0;
  bool same_ = true;
};

/// Compares all of a file that is stored in another form, such as compressed, with what is expected to be read from it.
class stored_comparer {
 public:
  /// @throws freshet::error  if `path` cannot be opened
  stored_comparer(const std::filesystem::path& path, const reader_options& options) : in_{path, options} {}

  /// @throws freshet::error  if the file cannot be read, also because it is damaged
  void write(std::span<const std::byte> expected);
  void write(std::string_view expected) { write(std::as_bytes(std::span{expected})); }

  /// Whether all bytes are as expected, and the file ends here. @throws freshet::error  also if its checksum is another
  [[nodiscard]] bool same_to_the_end();
  [[nodiscard]] std::uint64_t bytes_compared() const noexcept { return compared_; }

 private:
  reader in_;
  std::vector<std::byte> piece_;
  std::uint64_t compared_ = 0;
  bool same_ = true;
};

}  // namespace freshet::tool

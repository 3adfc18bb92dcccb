// What the tests of the writer share: known bytes, the ways to write them, and looks at what became of them.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/methods.hpp>
#include <freshet/options.hpp>

#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// The profile of whoever runs the tests must not decide what they test.
inline const bool without_profile = ::setenv("FRESHET_PROFILE", "none", 1) == 0;

/// The eight bytes that belong at 8 * `number`: another number each, so that none is right at a wrong place.
[[nodiscard]] inline std::uint64_t word_at(std::uint64_t number) {
  const std::uint64_t mixed = (number + 1) * 0x9E3779B97F4A7C15U;
  return mixed ^ mixed >> 29;
}

/// The bytes that belong at [from, from + length).
[[nodiscard]] inline std::string bytes_from(std::uint64_t from, std::size_t length) {
  // By whole words: sanitizers make tests of what looks at each byte.
  std::vector<std::uint64_t> words((from % 8 + length + 7) / 8);
  std::uint64_t number = from / 8;
  for (std::uint64_t& word : words) word = word_at(number++);
  return std::string{reinterpret_cast<const char*>(words.data()), words.size() * 8}.substr(from % 8, length);
}

/// The byte that belongs at `position`.
[[nodiscard]] inline char byte_at(std::uint64_t position) {
  const std::uint64_t word = word_at(position / 8);
  return reinterpret_cast<const char*>(&word)[position % 8];
}

/// Where `bytes`, found at `from`, first differ from what belongs there; their number when they do not.
[[nodiscard]] inline std::size_t first_difference(std::string_view bytes, std::uint64_t from = 0) {
  const std::string expected = bytes_from(from, bytes.size());
  if (bytes == expected) return bytes.size();
  return static_cast<std::size_t>(std::ranges::mismatch(bytes, expected).in1 - bytes.begin());
}

/// Expects exactly the first `length` bytes in the file.
inline void expect_prefix(const std::filesystem::path& path, std::uint64_t length) {
  EXPECT_TRUE(std::filesystem::exists(path)) << path;
  const std::string found = content_of(path);
  EXPECT_EQ(found.size(), length);
  EXPECT_EQ(first_difference(found), found.size()) << "differs from what was written";
}

[[nodiscard]] inline std::size_t entries_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{directory}, {}));
}

/// Descriptors of this process that lead to files in `directory`, be they named or not.
[[nodiscard]] inline std::size_t descriptors_in(const std::filesystem::path& directory) {
  const auto leads_there = [&](const auto& entry) {
    std::error_code gone;
    return std::filesystem::read_symlink(entry, gone).native().starts_with(directory.native());
  };
  return static_cast<std::size_t>(
      std::ranges::count_if(std::filesystem::directory_iterator{"/proc/self/fd"}, leads_there));
}

/// A method, and in which order it is to write.
struct way {
  std::string_view method;
  bool ordered = true;
  bool size_ahead = false;

  /// The options for it, with blocks small enough that tests meet many.
  [[nodiscard]] writer_options options(std::size_t block = 64 << 10, unsigned depth = 3) const {
    return {.method = method, .block = block, .depth = depth, .ordered = ordered, .size_ahead = size_ahead};
  }
  /// As an identifier.
  [[nodiscard]] std::string name() const {
    std::string name{method};
    std::ranges::replace(name, '-', '_');
    return name + (size_ahead ? "_size_ahead" : ordered ? "" : "_unordered");
  }
  friend std::ostream& operator<<(std::ostream& out, const way& one) { return out << one.name(); }
};

/// All methods that write into a file, in order and, where that is something else, out of it.
inline const std::vector<way> ordered_ways = {{"buffered"}, {"writebehind"}, {"dontcache"}, {"direct"},
                                              {"libaio"},   {"uring"},       {"aio"},       {"uring-buffered"}};
inline const std::vector<way> unordered_ways = {
    {"libaio", false},      {"libaio", false, true},   {"uring", false},
    {"uring", false, true}, {"uring-buffered", false}, {"uring-buffered", false, true},
    {"aio", false},         {"aio", false, true},      {"mmap", false}};
[[nodiscard]] inline std::vector<way> all_ways() {
  auto all = ordered_ways;
  all.insert(all.end(), unordered_ways.begin(), unordered_ways.end());
  return all;
}

/// Those that hand blocks to a queue of the kernel or the C library.
[[nodiscard]] inline std::vector<way> queued_ways() {
  auto queued = all_ways();
  std::erase_if(queued, [](const way& one) {
    const auto without = {"buffered", "writebehind", "dontcache", "direct", "mmap"};
    return std::ranges::find(without, one.method) != without.end();
  });
  return queued;
}

/// Where to test a method at length: only one that goes past the page cache needs a disk.
[[nodiscard]] inline temporary_directory directory_for(std::string_view method) {
  const bool is_direct = method == "direct" || method == "libaio" || method == "uring";
  return is_direct ? temporary_directory{disk_place()} : temporary_directory{memory_place()};
}

/// Why a method does not work in `directory`; empty where it does.
[[nodiscard]] inline std::string why_not(std::string_view method, const std::filesystem::path& directory) {
  const auto known = methods(directory);
  const auto found = std::ranges::find(known, method, &method_info::name);
  return found == known.end() ? "there is no such method" : found->why_not;
}

}  // namespace freshet::test

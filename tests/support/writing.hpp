// Shared by the tests of the writer: known bytes, the ways to write them, and checks of the written files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <freshet/methods.hpp>
#include <freshet/options.hpp>
#include <freshet/writer.hpp>

#include "src/method/registry.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// The user's own profile must not decide what the tests test.
inline const bool without_profile = ::setenv("FRESHET_PROFILE", "none", 1) == 0;

/// Expects the file to contain exactly the first `length` bytes.
inline void expect_prefix(const std::filesystem::path& path, std::uint64_t length) {
  EXPECT_TRUE(std::filesystem::exists(path)) << path;
  const std::string content = content_of(path);
  EXPECT_EQ(content.size(), length);
  EXPECT_EQ(first_difference(content), content.size()) << "differs from what was written";
}

/// Writes a file that holds `bytes`, and closes it.
inline void write_closed(const std::filesystem::path& path, std::string_view bytes, const writer_options& options) {
  writer out{path, options};
  out.write(bytes);
  out.close();
}

[[nodiscard]] inline std::size_t entries_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{directory}, {}));
}

/// Counts the descriptors of this process that are open on files in `directory`, named or unnamed.
[[nodiscard]] inline std::size_t descriptors_in(const std::filesystem::path& directory) {
  const auto leads_there = [&](const auto& entry) {
    std::error_code gone;
    return std::filesystem::read_symlink(entry, gone).native().starts_with(directory.native());
  };
  return static_cast<std::size_t>(
      std::ranges::count_if(std::filesystem::directory_iterator{"/proc/self/fd"}, leads_there));
}

/// A method and the order in which it writes.
struct way {
  std::string_view method;
  bool ordered = true;
  bool size_ahead = false;

  /// Options for this way, with blocks small enough that tests write many of them.
  [[nodiscard]] writer_options options(std::size_t block = 64 << 10, unsigned depth = 3) const {
    return {.method = method, .block = block, .depth = depth, .ordered = ordered, .size_ahead = size_ahead};
  }
  /// The name as an identifier.
  [[nodiscard]] std::string name() const {
    std::string name{method};
    std::ranges::replace(name, '-', '_');
    return name + (size_ahead ? "_size_ahead" : ordered ? "" : "_unordered");
  }
  friend std::ostream& operator<<(std::ostream& out, const way& one) { return out << one.name(); }
};

/// All methods that write to a file and keep order, in the registry's order.
inline const std::vector<way> ordered_ways = [] {
  std::vector<way> ways;
  for (const detail::method_entry& each : detail::method_entries())
    if (each.needs_file && each.keeps_order) ways.push_back({each.name});
  return ways;
}();
/// All methods for which `ordered = false` makes a difference.
inline const std::vector<way> unordered_ways = [] {
  std::vector<way> ways;
  for (const detail::method_entry& each : detail::method_entries()) {
    if (each.asynchronous || !each.keeps_order) ways.push_back({each.name, false});
    if (each.asynchronous) ways.push_back({each.name, false, true});
  }
  return ways;
}();
[[nodiscard]] inline std::vector<way> all_ways() {
  auto all = ordered_ways;
  all.insert(all.end(), unordered_ways.begin(), unordered_ways.end());
  return all;
}

/// The ways that hand blocks to a queue of the kernel or the C library.
[[nodiscard]] inline std::vector<way> queued_ways() {
  auto queued = all_ways();
  std::erase_if(queued, [](const way& each) { return !detail::find_method(each.method)->asynchronous; });
  return queued;
}

/// The ways that bypass the page cache.
[[nodiscard]] inline std::vector<way> direct_ways() {
  auto direct = all_ways();
  std::erase_if(direct, [](const way& each) { return !detail::find_method(each.method)->direct; });
  return direct;
}

/// A directory for long tests of a method: methods that bypass the page cache, or write back behind it, need a disk.
[[nodiscard]] inline temporary_directory directory_for(std::string_view method) {
  static constexpr std::array disk_methods{"adaptive", "direct", "dontcache", "libaio", "uring", "writebehind"};
  const bool needs_disk = std::ranges::find(disk_methods, method) != disk_methods.end();
  return temporary_directory{needs_disk ? disk_place() : memory_place()};
}

/// Explains why a method does not work in `directory`; empty if it works.
[[nodiscard]] inline std::string why_not(std::string_view method, const std::filesystem::path& directory) {
  const auto known = methods(directory);
  const auto info = std::ranges::find(known, method, &method_info::name);
  return info == known.end() ? "there is no such method" : info->why_not;
}

/// Whether files in `directory` can change: not where they are in memory only, nor on overlayfs.
[[nodiscard]] inline bool can_change(const std::filesystem::path& directory) {
  std::error_code error;
  const auto place = detail::os::file::open_existing(directory, error);
  return !error && !detail::os::is_in_memory(place) && !detail::os::is_overlay(place);
}

/// Those of `ways` that work in `directory`. It prints why the others do not, and fails the test if none is left: what
/// is to be shown of each would be shown of nothing.
[[nodiscard]] inline std::vector<way> working(std::vector<way> ways, const std::filesystem::path& directory) {
  std::erase_if(ways, [&](const way& each) {
    const std::string reason = why_not(each.method, directory);
    if (!reason.empty()) std::cout << "[ without  ] " << each << ": " << reason << '\n';
    return !reason.empty();
  });
  EXPECT_FALSE(ways.empty()) << "nothing works in " << directory;
  return ways;
}

/// The same for methods by their names.
[[nodiscard]] inline std::vector<std::string_view> working(std::vector<std::string_view> methods,
                                                           const std::filesystem::path& directory) {
  std::vector<way> ways;
  for (const std::string_view each : methods) ways.push_back({each});
  methods.clear();
  for (const way& each : working(std::move(ways), directory)) methods.push_back(each.method);
  return methods;
}

}  // namespace freshet::test

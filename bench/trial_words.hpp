// The words with which scripts call programs that write or read a file once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tool/measure/memory.hpp"

namespace freshet::bench {

/// writer_options or reader_options from a method that may have a block in KiB and a depth: "uring:2048:2".
template <typename Options>
[[nodiscard]] Options options_from(std::string_view method) {
  Options options;
  const auto next = [&] {
    const std::string_view word = method.substr(0, method.find(':'));
    method.remove_prefix(std::min(method.size(), word.size() + 1));
    return word;
  };
  const auto next_number = [&] { return std::strtoul(std::string{next()}.c_str(), nullptr, 10); };
  options.method = next();
  options.block = static_cast<std::size_t>(next_number()) << 10U;
  options.depth = static_cast<unsigned>(next_number());
  return options;
}

/// Memory that the host backs, held if `wanted`, so that files get other memory: as slow as after some idle seconds of
/// the whole machine. Says so if it cannot reach such memory.
class backed_memory {
 public:
  explicit backed_memory(bool wanted) {
    constexpr double patience = 8;  // seconds, for each size
    if (!wanted) return;
    // The memory of a former file is scattered in pieces of many sizes, and the next file gets those.
    if (!huge_.take_until_slow(patience, most) || !small_.take_until_slow(patience, most))
      std::fputs("memory is not at rest: all that was touched came quickly\n", stderr);
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{10} << 30U;
  tool::held_pages huge_{std::size_t{8} << 20U};
  tool::held_pages small_{std::size_t{1} << 20U};
};

}  // namespace freshet::bench

// The words with which scripts call programs that write or read a file once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
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
/// the whole machine.
class backed_memory {
 public:
  explicit backed_memory(bool wanted) {
    constexpr double patience = 8;  // seconds
    if (wanted) held_.emplace(patience).take_backed_memory();
  }

 private:
  std::optional<tool::memory_in_use> held_;
};

}  // namespace freshet::bench

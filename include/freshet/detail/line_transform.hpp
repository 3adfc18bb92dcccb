// What freshet::each_line does with a block of lines, as its templates need it; not for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <freshet/line_sink.hpp>

namespace freshet::detail {

/// How lines are recognized and passed to the function.
struct line_rules {
  std::size_t longest = 0;  ///< most bytes before "\n"
  bool keep_ends = false;
};

/// Returns the line from `begin` to `end`, which points to its "\n".
[[gnu::always_inline]] inline std::string_view line_between(const char* begin, const char* end,
                                                            bool keep_end) noexcept {
  if (keep_end) return {begin, static_cast<std::size_t>(end + 1 - begin)};
  if (end != begin && end[-1] == '\r') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Calls `function` for each line of `block` and adds the number of transformed lines to `lines`. Returns the size of
/// these lines, which is less than the block's only if the next line is too long.
template <typename Function>
std::size_t transform_lines(Function& function, std::string_view block, const line_rules& rules, line_sink& sink,
                            std::uint64_t& lines) {
  line_sink out{std::move(sink)};  // a local object, whose address nothing else has
  const auto [longest, keep_ends] = rules;
  const char* at = block.data();
  const char* const limit = at + block.size();
  while (at != limit) {
    const auto left = static_cast<std::size_t>(limit - at);
    const auto* const end = static_cast<const char*>(std::memchr(at, '\n', left));
    if (end == nullptr || static_cast<std::size_t>(end - at) > longest) [[unlikely]] {
      if (end != nullptr || left > longest) break;
      std::invoke(function, std::string_view{at, left}, out);
      at = limit;
    } else {
      std::invoke(function, line_between(at, end, keep_ends), out);
      at = end + 1;
    }
    ++lines;
  }
  sink = std::move(out);
  return static_cast<std::size_t>(at - block.data());
}

/// A type-erased function for lines. One thread at a time uses it.
class line_transform {
 public:
  line_transform() = default;
  line_transform(const line_transform&) = delete;
  line_transform& operator=(const line_transform&) = delete;
  virtual ~line_transform() = default;
  /// See transform_lines().
  [[nodiscard]] virtual std::size_t transform(std::string_view block, const line_rules& rules, line_sink& sink,
                                              std::uint64_t& lines) = 0;
};

/// Holds a function that belongs to one thread, or a const reference to a function that all threads share. It is
/// aligned because data of one thread's function must not share a cache line, or the next one that the processor
/// prefetches, with another thread's.
template <typename Function>
class alignas(128) line_transform_by final : public line_transform {
 public:
  explicit line_transform_by(Function function) : function_{std::forward<Function>(function)} {}
  [[nodiscard]] std::size_t transform(std::string_view block, const line_rules& rules, line_sink& sink,
                                      std::uint64_t& lines) override {
    return transform_lines(function_, block, rules, sink, lines);
  }

 private:
  Function function_;
};

/// Makes a thread's transform. One thread at a time calls it.
using line_transform_maker = std::function<std::unique_ptr<line_transform>()>;

}  // namespace freshet::detail

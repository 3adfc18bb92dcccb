// What freshet::each_line does with a block of lines, seen from its templates; not for programs.
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

/// What is a line, and what is given of it to the function.
struct line_rules {
  std::size_t longest = 0;  ///< bytes before its "\n"
  bool keep_ends = false;
};

/// The line that ends at `end`, where its "\n" is.
[[gnu::always_inline]] inline std::string_view line_between(const char* begin, const char* end,
                                                            bool keep_end) noexcept {
  if (keep_end) return {begin, static_cast<std::size_t>(end + 1 - begin)};
  if (end != begin && end[-1] == '\r') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Calls `function` for each line of `block`, and counts those that it has treated in `lines`. Returns how many bytes
/// these are: fewer than there are only where a line is too long.
template <typename Function>
std::size_t treat_lines(Function& function, std::string_view block, const line_rules& rules, line_sink& sink,
                        std::uint64_t& lines) {
  line_sink out{std::move(sink)};  // one whose address nobody else has
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

/// A function, its type forgotten. Used by one thread at a time.
class line_treatment {
 public:
  line_treatment() = default;
  line_treatment(const line_treatment&) = delete;
  line_treatment& operator=(const line_treatment&) = delete;
  virtual ~line_treatment() = default;
  /// As treat_lines().
  [[nodiscard]] virtual std::size_t treat(std::string_view block, const line_rules& rules, line_sink& sink,
                                          std::uint64_t& lines) = 0;
};

/// By a function that is one thread's own, or, as a const reference, all threads'. What a function of one thread writes
/// to must not be in a line of the processor's cache (or the next, which it fetches with it) with another's.
template <typename Function>
class alignas(128) treatment_by final : public line_treatment {
 public:
  explicit treatment_by(Function function) : function_{std::forward<Function>(function)} {}
  [[nodiscard]] std::size_t treat(std::string_view block, const line_rules& rules, line_sink& sink,
                                  std::uint64_t& lines) override {
    return treat_lines(function_, block, rules, sink, lines);
  }

 private:
  Function function_;
};

/// Makes a thread's treatment; called by one thread at a time.
using treatment_maker = std::function<std::unique_ptr<line_treatment>()>;

}  // namespace freshet::detail

/// @file
/// freshet::line_sink, which collects what a function writes for a line.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include <freshet/detail/text_memory.hpp>

namespace freshet {

/// Collects in memory what a function writes for a line. The output has the lines' results in the order of the lines,
/// whichever threads transform them.
///
/// freshet::each_line passes a sink to its function. To test such a function, pass it a sink of your own.
/// Functions that write throw std::bad_alloc if there is no memory.
class line_sink {
 public:
  /// Appends `text`.
  [[gnu::always_inline]] void write(std::string_view text) {
    if (text.size() > memory_.left()) [[unlikely]]
      memory_.grow(text.size());
    // memcpy must not be called with an empty view's null pointer.
    if (!text.empty()) std::memcpy(memory_.cursor(), text.data(), text.size());
    memory_.advance(text.size());
  }
  /// Appends `character`.
  [[gnu::always_inline]] void put(char character) {
    if (memory_.left() == 0) [[unlikely]]
      memory_.grow(1);
    *memory_.cursor() = character;
    memory_.advance(1);
  }
  /// Appends `line` and "\n".
  [[gnu::always_inline]] void write_line(std::string_view line) {
    const auto at = room(line.size() + 1);
    if (!line.empty()) std::memcpy(at.data(), line.data(), line.size());
    at[line.size()] = '\n';
    memory_.advance(line.size() + 1);
  }

  /// Returns at least `length` bytes of memory for what comes next. Fill it from its front, then call advance(). The
  /// memory is valid until the sink's next call.
  [[gnu::always_inline]] std::span<char> room(std::size_t length) {
    if (length > memory_.left()) [[unlikely]]
      memory_.grow(length);
    return {memory_.cursor(), memory_.left()};
  }
  /// Appends the first `length` bytes of room(). Precondition: room() has at least `length` bytes.
  [[gnu::always_inline]] void advance(std::size_t length) noexcept { memory_.advance(length); }

  /// Returns everything written since the sink was made or cleared. It is valid until the sink's next call.
  [[nodiscard]] std::string_view text() const noexcept { return memory_.text(); }
  /// Removes everything written and keeps the memory for later.
  void clear() noexcept { memory_.clear(); }
  /// Removes everything written and keeps at most `most` bytes of the memory for later.
  void clear(std::size_t most) noexcept { memory_.clear(most); }

 private:
  detail::text_memory memory_;
};

}  // namespace freshet

/// @file
/// freshet::line_sink: takes what a function makes of a line.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include <freshet/detail/text_memory.hpp>

namespace freshet {

/// Takes what a function makes of a line, in memory. What is written while one line is treated follows in the output
/// what was written for the lines before it, whatever thread treats them.
///
/// freshet::each_line hands one to the function; one of your own takes what a function writes in its test.
/// Everything that writes throws std::bad_alloc when there is no memory for it.
class line_sink {
 public:
  /// Appends `text`.
  [[gnu::always_inline]] void write(std::string_view text) {
    if (text.size() > memory_.left()) [[unlikely]]
      memory_.grow(text.size());
    // An empty view's null pointer is no argument for memcpy.
    if (!text.empty()) std::memcpy(memory_.cursor(), text.data(), text.size());
    memory_.advance(text.size());
  }
  /// Appends one character.
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

  /// Returns the room in memory for what comes next, at least `length` bytes. What is put at its front is appended by
  /// advance(). Valid until the next call.
  [[gnu::always_inline]] std::span<char> room(std::size_t length) {
    if (length > memory_.left()) [[unlikely]]
      memory_.grow(length);
    return {memory_.cursor(), memory_.left()};
  }
  /// Appends the first `length` bytes of room(). Precondition: it has as many.
  [[gnu::always_inline]] void advance(std::size_t length) noexcept { memory_.advance(length); }

  /// All that was written since the beginning or the last clear(). Valid until the next call.
  [[nodiscard]] std::string_view text() const noexcept { return memory_.text(); }
  /// Forgets what was written, and keeps its memory for what comes.
  void clear() noexcept { memory_.clear(); }
  /// As clear(); of the memory, no more than `most` bytes are kept.
  void clear(std::size_t most) noexcept { memory_.clear(most); }

 private:
  detail::text_memory memory_;
};

}  // namespace freshet

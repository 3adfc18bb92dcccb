// Growing memory for text; not for programs.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <freshet/detail/export.hpp>

namespace freshet::detail {

/// Memory for text: [begin, cursor) is filled, [cursor, limit) is free.
struct text_window {
  char* begin = nullptr;
  char* cursor = nullptr;
  char* limit = nullptr;
};

/// Returns `filled` with room for at least `length` more bytes, possibly at another address.
/// @throws std::bad_alloc  and leaves it unchanged
[[nodiscard]] FRESHET_API text_window grown(text_window filled, std::size_t length);
/// Frees the memory, if there is any.
FRESHET_API void release_text(text_window memory) noexcept;

/// Owns memory for text. As in freshet::writer, its address is never passed to a function that the compiler cannot
/// inline, so the cursor of a local object can stay in a register.
class text_memory {
 public:
  text_memory() noexcept = default;
  [[gnu::always_inline]] text_memory(text_memory&& other) noexcept : at_{std::exchange(other.at_, {})} {}
  [[gnu::always_inline]] text_memory& operator=(text_memory&& other) noexcept {
    if (this == &other) return *this;
    release_text(at_);
    at_ = std::exchange(other.at_, {});
    return *this;
  }
  text_memory(const text_memory&) = delete;
  text_memory& operator=(const text_memory&) = delete;
  [[gnu::always_inline]] ~text_memory() { release_text(at_); }

  [[nodiscard]] char* cursor() const noexcept { return at_.cursor; }
  /// Returns the number of free bytes.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(at_.limit - at_.cursor); }
  [[nodiscard]] std::string_view text() const noexcept {
    return {at_.begin, static_cast<std::size_t>(at_.cursor - at_.begin)};
  }

  /// Makes left() at least `length`. @throws std::bad_alloc
  [[gnu::always_inline]] void grow(std::size_t length) { at_ = grown(at_, length); }
  /// Precondition: left() is at least `length`.
  [[gnu::always_inline]] void advance(std::size_t length) noexcept { at_.cursor += length; }
  /// Keeps the first `length` bytes of text(). Precondition: text() has at least `length` bytes.
  void cut(std::size_t length) noexcept { at_.cursor = at_.begin + length; }
  void clear() noexcept { at_.cursor = at_.begin; }
  /// Removes the text, and frees the memory if it has more than `most` bytes.
  void clear(std::size_t most) noexcept {
    clear();
    if (left() <= most) return;
    release_text(at_);
    at_ = {};
  }

 private:
  text_window at_;
};

}  // namespace freshet::detail

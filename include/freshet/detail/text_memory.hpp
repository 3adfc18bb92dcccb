// Text in memory that grows; not for programs.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace freshet::detail {

/// Memory that text lies at the front of: [begin, cursor) is filled, [cursor, limit) is not.
struct text_window {
  char* begin = nullptr;
  char* cursor = nullptr;
  char* limit = nullptr;
};

/// `filled` with room for at least `length` bytes more, elsewhere perhaps. @throws std::bad_alloc  leaving it as it is
[[nodiscard]] text_window grown(text_window filled, std::size_t length);
/// Gives such memory back, if there is any.
void release_text(text_window memory) noexcept;

/// Owns such memory. Like a freshet::writer's, its address never reaches a function that the compiler cannot see into,
/// so that the cursor of a local one may stay in a register.
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
  /// Bytes from the cursor on.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(at_.limit - at_.cursor); }
  [[nodiscard]] std::string_view text() const noexcept {
    return {at_.begin, static_cast<std::size_t>(at_.cursor - at_.begin)};
  }

  /// Makes left() at least `length`. @throws std::bad_alloc
  [[gnu::always_inline]] void grow(std::size_t length) { at_ = grown(at_, length); }
  /// Precondition: left() is no less.
  [[gnu::always_inline]] void advance(std::size_t length) noexcept { at_.cursor += length; }
  /// Keeps the first `length` bytes of text(). Precondition: it has as many.
  void cut(std::size_t length) noexcept { at_.cursor = at_.begin + length; }
  void clear() noexcept { at_.cursor = at_.begin; }
  /// The same, and gives memory of more than `most` bytes back to the system.
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

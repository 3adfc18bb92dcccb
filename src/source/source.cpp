#include "src/source/source.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace freshet::detail {

std::size_t source::read(std::span<std::byte> into) noexcept {
  drop_window();
  std::size_t total = 0;
  while (total < into.size()) {
    const std::size_t got = read_piece(into.subspan(total));
    if (got == 0) break;
    total += got;
  }
  return total;
}

std::span<const std::byte> source::join(std::size_t begin, std::size_t length) noexcept {
  narrow_window(begin);
  joined_.clear();
  try {
    do {
      const auto piece = window_.first(std::min(window_.size(), length - joined_.size()));
      joined_.insert(joined_.end(), piece.begin(), piece.end());
      narrow_window(piece.size());
    } while (joined_.size() < length && refill());
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
  }
  return joined_;
}

std::span<const std::byte> source::join_through(std::size_t begin, std::byte last, std::size_t most) noexcept {
  narrow_window(begin);
  joined_.clear();
  try {
    do {
      auto piece = window_.first(std::min(window_.size(), most - joined_.size()));
      if (piece.empty()) continue;
      const void* const end = std::memchr(piece.data(), std::to_integer<int>(last), piece.size());
      if (end != nullptr)
        piece = piece.first(static_cast<std::size_t>(static_cast<const std::byte*>(end) - piece.data()) + 1);
      joined_.insert(joined_.end(), piece.begin(), piece.end());
      narrow_window(piece.size());
      if (end != nullptr) break;
    } while (joined_.size() < most && refill());
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
  }
  return joined_;
}

std::size_t source::copy(std::span<std::byte> into) noexcept {
  if (!refill()) return 0;
  const auto piece = window_.first(std::min(window_.size(), into.size()));
  std::memcpy(into.data(), piece.data(), piece.size());
  narrow_window(piece.size());
  return piece.size();
}

void source::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure_) return;
  failure_ = why;
  failed_operation_ = operation;
  detail_ = detail;
  window_ = {};
}

}  // namespace freshet::detail

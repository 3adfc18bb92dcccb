#include "src/source/source.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/base/contract.hpp"

namespace freshet::detail {

bool source::next_window() noexcept {
  window_.take_all();
  const bool has_more = fetch();
  if (keeps_contract(window_.empty() != has_more && !(has_more && failure_))) return has_more;
  window_.clear();
  fail("read", std::make_error_code(broken_contract), window_too_small);
  return false;
}

std::size_t source::read(std::span<std::byte> into) noexcept {
  window_.take_all();
  std::size_t total = 0;
  while (total < into.size()) {
    const std::size_t got = read_piece(into.subspan(total));
    if (got == 0) break;
    total += got;
  }
  return total;
}

std::span<const std::byte> source::join(std::size_t begin, std::size_t length) noexcept {
  window_.take(begin);
  joined_.clear();
  try {
    do {
      const auto piece = window().first(std::min(window_.size(), length - joined_.size()));
      joined_.insert(joined_.end(), piece.begin(), piece.end());
      window_.take(piece.size());
    } while (joined_.size() < length && next_window());
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
  }
  return joined_;
}

std::span<const std::byte> source::join_through(std::size_t begin, std::byte last, std::size_t most) noexcept {
  window_.take(begin);
  joined_.clear();
  try {
    do {
      auto piece = window().first(std::min(window_.size(), most - joined_.size()));
      if (piece.empty()) continue;
      const void* const end = std::memchr(piece.data(), std::to_integer<int>(last), piece.size());
      if (end != nullptr)
        piece = piece.first(static_cast<std::size_t>(static_cast<const std::byte*>(end) - piece.data()) + 1);
      joined_.insert(joined_.end(), piece.begin(), piece.end());
      window_.take(piece.size());
      if (end != nullptr) break;
    } while (joined_.size() < most && next_window());
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
  }
  return joined_;
}

std::size_t source::copy(std::span<std::byte> into) noexcept {
  if (!next_window()) return 0;
  const auto piece = window().first(std::min(window_.size(), into.size()));
  std::memcpy(into.data(), piece.data(), piece.size());
  window_.take(piece.size());
  return piece.size();
}

void source::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure_) return;
  failure_ = why;
  failed_operation_ = operation;
  detail_ = detail;
  window_.clear();
}

}  // namespace freshet::detail

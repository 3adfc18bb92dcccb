#include "src/input.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/block_observer.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {

bool input::refill() noexcept {
  drop_window();
  const block_under_way waiting;
  if (!start()) return false;
  std::error_code error;
  window_ = method_->read(offset_, error);
  waiting.arrived(window_.size());
  if (error)
    fail("read", error);
  else if (window_.empty())
    check_end();
  return !window_.empty();
}

std::size_t input::read(std::span<std::byte> into) noexcept {
  drop_window();
  std::size_t total = 0;
  while (total < into.size()) {
    const auto rest = into.subspan(total);
    const std::size_t got = rest.size() >= block_size_ ? pass(rest) : copy(rest);
    if (got == 0) break;
    total += got;
  }
  return total;
}

std::span<const std::byte> input::join(std::size_t begin, std::size_t length) noexcept {
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

std::span<const std::byte> input::join_through(std::size_t begin, std::byte last, std::size_t most) noexcept {
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

void input::seek(std::uint64_t offset) noexcept {
  if (failure_ || !open_) return;
  if (!shared_ && offset >= offset_ && offset - offset_ <= window_.size()) return;
  if (!can_seek()) return fail("seek in", std::make_error_code(std::errc::invalid_seek));
  window_ = {};
  offset_ = offset;
}

bool input::can_seek() noexcept { return look() && !sequential_only_; }

void input::close(std::size_t used) noexcept {
  if (!open_) return;
  std::error_code error;
  narrow_window(used);
  if (moves_position_) uninterrupted(error, [&] { file_.set_position(offset_, error); });
  if (error) fail("seek in", error);
  window_ = {};
  // A queue may hold the file open, too.
  method_.reset();
  file_.close(error);
  if (error) fail("close", error);
  open_ = false;
}

std::uint64_t input::size(std::error_code& failure) noexcept {
  os::file_status now;
  uninterrupted(failure, [&] { now = file_.status(failure); });
  if (failure || now.kind != os::file_kind::regular) return 0;
  known_size_ = std::max(known_size_, now.size);
  return now.size;
}

// What there is goes straight to the caller, as far as the method can do that.
std::size_t input::pass(std::span<std::byte> into) noexcept {
  const block_under_way waiting;
  if (!start()) return 0;
  std::error_code error;
  // A small file read by one large call is still a small file.
  if (!settled_) into = into.first(std::min(into.size(), first_block));
  const auto got = method_->read_through(into, offset_, error);
  if (!got) return copy(into);
  waiting.arrived(*got);
  offset_ += *got;
  if (error)
    fail("read", error);
  else if (*got == 0)
    check_end();
  return *got;
}

std::size_t input::copy(std::span<std::byte> into) noexcept {
  if (!refill()) return 0;
  const auto piece = window_.first(std::min(window_.size(), into.size()));
  std::memcpy(into.data(), piece.data(), piece.size());
  narrow_window(piece.size());
  return piece.size();
}

void input::drop_window() noexcept { narrow_window(window_.size()); }

void input::narrow_window(std::size_t taken) noexcept {
  window_ = window_.subspan(taken);
  offset_ += taken;
}

// Files that say nothing true of their size (below /sys) end where they end; what was cut short says so itself.
void input::check_end() noexcept {
  if (offset_ >= known_size_ || may_shrink_) return;
  std::error_code error;
  os::file_status now;
  uninterrupted(error, [&] { now = file_.status(error); });
  if (error) return fail("read", error);
  if (now.size < known_size_)
    fail("read", std::make_error_code(std::errc::io_error), "the file was cut short while it was read");
}

void input::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure_) return;
  failure_ = why;
  failed_operation_ = operation;
  failure_detail_ = detail;
  window_ = {};
}

std::string_view input::method_name() const noexcept {
  const std::string_view other = method_ ? method_->fallen_back_to() : std::string_view{};
  return other.empty() ? entry_->name : other;
}

error input::failure_as_error() const { return {failure_, failed_operation_, path_, offset_, failure_detail_}; }

}  // namespace freshet::detail

#include "src/filter/filtered_output.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace freshet::detail {

filtered_output::filtered_output(std::unique_ptr<sink> inner, std::size_t chunk_size)
    : inner_{std::move(inner)}, chunk_size_{chunk_size}, chunk_{pool::take(std::min(chunk_size, first_block))} {
  if (!chunk_) throw error{std::make_error_code(std::errc::not_enough_memory), "open", inner_->path()};
}

std::size_t filtered_output::exchange(std::size_t filled) noexcept {
  if (failure_ || !open_) return 0;
  if (grow(filled)) return filled;
  hand_over(filled);
  return 0;
}

// A file that is small takes little memory.
bool filtered_output::grow(std::size_t filled) noexcept {
  if (chunk_.size() >= chunk_size_) return false;
  auto larger = pool::try_take(std::min(chunk_size_, chunk_.size() * 8));
  if (!larger) return false;
  std::memcpy(larger.data(), chunk_.data(), filled);
  chunk_ = std::move(larger);
  return true;
}

void filtered_output::hand_over(std::size_t filled) noexcept {
  if (filled == 0 || failure_) return;
  chunk_ = transform(std::move(chunk_), filled);
  offset_ += filled;
  if (!chunk_) fail("write", std::make_error_code(std::errc::not_enough_memory));
}

void filtered_output::seek(std::size_t filled, std::uint64_t /*offset*/) noexcept { flush(filled); }

std::uint64_t filtered_output::size(std::error_code& failure) const noexcept {
  failure.clear();
  return offset_;
}

void filtered_output::flush(std::size_t filled) noexcept {
  if (failure_ || !open_) return;
  hand_over(filled);
  if (!failure_) drain();
  if (failure_) return;
  inner_->flush(std::exchange(inner_filled_, 0));
  take_failure();
}

void filtered_output::sync(std::size_t filled) noexcept {
  flush(filled);
  if (failure_ || !open_) return;
  inner_->sync(0);
  take_failure();
}

void filtered_output::close(std::size_t filled) noexcept {
  if (!open_) return;
  if (!failure_) {
    finish(std::move(chunk_), filled);
    offset_ += filled;
  }
  // A hidden file that is not whole never appears.
  const std::size_t left = std::exchange(inner_filled_, 0);
  failure_ && !inner_->failure() ? inner_->discard(left) : inner_->close(left);
  take_failure();
  chunk_ = {};
  open_ = false;
}

void filtered_output::discard(std::size_t filled) noexcept {
  if (!open_) return;
  if (!inner_->is_hidden()) return close(filled);
  inner_->discard(std::exchange(inner_filled_, 0));
  take_failure();
  chunk_ = {};
  open_ = false;
}

std::span<std::byte> filtered_output::storage() noexcept {
  if (failure_) return {};
  if (inner_filled_ == inner_->window().size()) inner_filled_ = inner_->exchange(inner_filled_);
  take_failure();
  return failure_ ? std::span<std::byte>{} : inner_->window().subspan(inner_filled_);
}

void filtered_output::store(std::span<const std::byte> bytes) noexcept {
  if (failure_) return;
  inner_filled_ = inner_->write(inner_filled_, bytes);
  take_failure();
}

void filtered_output::take_failure() noexcept {
  if (failure_) return;
  failure_ = inner_->failure();
  if (failure_) chunk_ = {};
}

void filtered_output::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure_) return;
  failure_ = why;
  failed_operation_ = operation;
  failure_detail_ = detail;
  failed_at_ = offset_;
  chunk_ = {};
}

error filtered_output::failure_as_error() const {
  if (inner_->failure()) return inner_->failure_as_error();
  return {failure_, failed_operation_, path(), failed_at_, failure_detail_};
}

}  // namespace freshet::detail

#include "src/filter/filtered_output.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace freshet::detail {

filtered_output::filtered_output(std::unique_ptr<sink> inner, std::size_t chunk_size)
    : inner_{std::move(inner)}, chunk_size_{chunk_size}, chunk_{pool::take(std::min(chunk_size, first_block))} {
  if (!chunk_) throw error{std::make_error_code(std::errc::not_enough_memory), "open", inner_->path()};
}

void filtered_output::show_chunk(std::size_t least) noexcept {
  window_.show(chunk_.bytes().first(std::min(chunk_.size(), std::max(room(), least))));
}

void filtered_output::make_room(std::size_t least) noexcept {
  if (grow(least)) return;
  hand_over();
  if (!failure()) show_chunk(least);
}

// The chunk grows with the file, so that small files take little memory.
bool filtered_output::grow(std::size_t least) noexcept {
  const auto unwritten = window_.unwritten();
  const std::size_t size = std::min(chunk_size_, chunk_.size() * 8);
  if (size <= chunk_.size() || std::min(size, room()) < unwritten.size() + least) return false;
  auto larger = pool::try_take(size);
  if (!larger) return false;
  std::memcpy(larger.data(), unwritten.data(), unwritten.size());
  window_.show(larger.bytes().first(std::min(size, room())), unwritten.size());
  chunk_ = std::move(larger);
  return true;
}

void filtered_output::hand_over() noexcept {
  const std::size_t filled = window_.unwritten().size();
  if (filled == 0 || failure()) return;
  chunk_ = transform(std::move(chunk_), filled);
  window_.clear();
  if (!chunk_) fail("write", std::make_error_code(std::errc::not_enough_memory));
}

void filtered_output::seek(std::uint64_t /*offset*/) noexcept { flush(); }

std::uint64_t filtered_output::size(std::error_code& failure) const noexcept {
  failure.clear();
  return window_.position();
}

void filtered_output::flush() noexcept {
  if (failure() || !open_) return;
  hand_over();
  if (!failure()) drain();
  if (failure()) return;
  show_chunk();
  inner_->flush();
  take_failure();
}

void filtered_output::sync() noexcept {
  flush();
  if (failure() || !open_) return;
  inner_->sync();
  take_failure();
}

void filtered_output::close() noexcept { end(true); }

// What is left is written, but not the file's end, which says that all of it was written without an error.
void filtered_output::discard() noexcept {
  if (open_ && !inner_->is_hidden()) flush();
  end(false);
}

void filtered_output::end(bool is_complete) noexcept {
  if (!open_) return;
  if (is_complete && !failure()) {
    const std::size_t filled = window_.unwritten().size();
    finish(std::move(chunk_), filled);
    window_.clear();
  }
  // A hidden file that is not complete must not appear.
  is_complete && (!failure() || inner_->failure()) ? inner_->close() : inner_->discard();
  take_failure();
  chunk_ = {};
  window_.clear();
  open_ = false;
}

std::span<std::byte> filtered_output::storage() noexcept {
  if (failure()) return {};
  const bool has_room = inner_->next_window();
  take_failure();
  return has_room ? inner_->window().room() : std::span<std::byte>{};
}

void filtered_output::store(std::span<const std::byte> bytes) noexcept {
  if (failure()) return;
  inner_->write(bytes);
  take_failure();
}

void filtered_output::take_failure() noexcept {
  if (!failure()) take_failure_of(*inner_, window_.offset());
}

void filtered_output::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  record_failure(operation, why, detail, window_.offset());
}

}  // namespace freshet::detail

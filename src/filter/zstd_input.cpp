// Decompresses what zstd compressed, while it is read.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "src/filter/filtered_input.hpp"
#include "src/filter/zstd.hpp"
#include "src/filter/zstd_decoder.hpp"
#include "src/filter/zstd_format.hpp"
#include "src/filter/zstd_seek_table.hpp"

namespace freshet::detail {
namespace {

using zstd_format::frame_size;
using zstd_format::magic_size;

class zstd_input final : public filtered_input {
 public:
  zstd_input(std::unique_ptr<source> inner, decompression how, bool accepts_unclosed)
      : filtered_input{std::move(inner)},
        how_{how},
        accepts_unclosed_{accepts_unclosed},
        decoder_{*inner_, accepts_unclosed} {}

  void seek(std::uint64_t offset) noexcept override;
  void refresh(std::uint64_t offset) noexcept override;
  void close(std::size_t used) noexcept override;
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept override;

 private:
  enum class content : std::uint8_t { unknown, plain, compressed };

  bool fetch() noexcept override;
  [[nodiscard]] std::size_t read_piece(std::span<std::byte> into) noexcept override;
  [[nodiscard]] std::uint64_t end_of_inner() const noexcept { return inner_->offset() + inner_->window().size(); }
  bool recognise() noexcept;
  bool refill_plain() noexcept;
  bool refill_compressed() noexcept;
  bool take_decoder_failure() noexcept;
  void go_to(std::uint64_t target) noexcept;
  void note_frame() noexcept;
  void load_table() noexcept;
  [[nodiscard]] std::uint64_t size_by_reading(std::error_code& failure) noexcept;

  decompression how_;
  bool accepts_unclosed_;
  content content_ = content::unknown;
  std::array<std::byte, magic_size> head_{};  // of a plain file whose first piece is shorter
  std::size_t head_size_ = 0;
  zstd_decoder decoder_;
  std::vector<zstd_frame_start> frames_{{}};  // that are known, in order; not all of them
  bool table_tried_ = false;
  std::optional<std::uint64_t> size_in_table_;
  std::optional<std::uint64_t> size_;
};

bool zstd_input::fetch() noexcept {
  if (failure_ || !open_ || !recognise()) return false;
  return content_ == content::plain ? refill_plain() : refill_compressed();
}

// In a plain file, lets the inner source read into the caller's memory if its window is empty.
std::size_t zstd_input::read_piece(std::span<std::byte> into) noexcept {
  if (content_ != content::plain || window_.offset() != end_of_inner()) return copy(into);
  const std::size_t length = inner_->read(into);
  window_.move_to(window_.offset() + length);
  take_failure();
  return length;
}

// Finds out what the file is, from its first bytes; false on failure.
bool zstd_input::recognise() noexcept {
  if (content_ != content::unknown) return true;
  inner_->next_window();
  auto first = inner_->window();
  if (first.size() < magic_size) {  // a pipe may bring them one by one
    first = inner_->join(0, magic_size);
    head_size_ = first.size();
    std::copy(first.begin(), first.end(), head_.begin());
  }
  if (!take_failure()) return false;
  const bool may_be_cut = how_ == decompression::zstd && zstd_format::may_become_magic(first);
  if ((may_be_cut && accepts_unclosed_) || (first.size() >= magic_size && zstd_format::has_magic(first))) {
    content_ = content::compressed;
    decoder_.begin_with(std::span{head_}.first(head_size_));
    return true;
  }
  content_ = content::plain;
  if (how_ == decompression::automatic) return true;
  if (may_be_cut)
    fail_as_unclosed();
  else
    fail("decompress", std::make_error_code(std::errc::bad_message), "the file does not begin as one of zstd");
  return false;
}

bool zstd_input::refill_plain() noexcept {
  if (window_.offset() < head_size_) {
    window_.show(std::span{head_}.first(head_size_).subspan(static_cast<std::size_t>(window_.offset())));
    return true;
  }
  if (window_.offset() < inner_->offset() || window_.offset() > end_of_inner()) inner_->seek(window_.offset());
  if (window_.offset() == end_of_inner()) inner_->next_window();
  if (!take_failure()) return false;
  window_.show(inner_->window().subspan(static_cast<std::size_t>(window_.offset() - inner_->offset())));
  return !window_.empty();
}

bool zstd_input::refill_compressed() noexcept {
  if (decoder_.offset() != window_.offset()) go_to(window_.offset());
  for (;;) {
    if (!take_failure()) return false;
    const auto bytes = decoder_.next();
    if (!take_decoder_failure() || bytes.empty()) return false;
    note_frame();
    if (decoder_.offset() <= window_.offset()) continue;
    const std::uint64_t begin = decoder_.offset() - bytes.size();
    window_.show(bytes.subspan(static_cast<std::size_t>(window_.offset() - begin)));
    return true;
  }
}

// At the end of the file, also compares the size in the seek table with the bytes that were read.
bool zstd_input::take_decoder_failure() noexcept {
  if (!take_failure()) return false;
  if (decoder_.is_unclosed()) {
    fail_as_unclosed();
  } else if (const zstd_failure& why = decoder_.failure(); why.code) {
    fail("decompress", why.code, why.detail);
  } else if (decoder_.is_at_end()) {
    if (size_in_table_ && *size_in_table_ != decoder_.offset())
      fail("decompress", std::make_error_code(std::errc::bad_message), "the seek table does not fit the frames");
    else
      size_ = decoder_.offset();
  }
  return !failure_;
}

// Moves the decoder to the last known frame that does not begin after `target`, if that saves work.
void zstd_input::go_to(std::uint64_t target) noexcept {
  const bool is_near = target >= decoder_.offset() && target - decoder_.offset() < frame_size;
  if (is_near) return;
  load_table();
  const auto after = std::ranges::upper_bound(frames_, target, {}, &zstd_frame_start::plain);
  const zstd_frame_start& nearest = *(after - 1);
  if (target < decoder_.offset() || nearest.plain > decoder_.offset()) decoder_.restart(nearest);
}

// Remembers frames at some distance from each other, so that the list stays short.
void zstd_input::note_frame() noexcept {
  const zstd_frame_start& frame = decoder_.frame();
  if (frame.plain < frames_.back().plain + frame_size / 4) return;
  try {
    frames_.push_back(frame);
  } catch (const std::bad_alloc&) {  // seeks take longer
  }
}

void zstd_input::load_table() noexcept {
  if (table_tried_ || !inner_->can_seek()) return;
  table_tried_ = true;
  try {
    if (auto table = read_zstd_seek_table(*inner_)) {
      frames_ = std::move(table->frames);
      size_ = size_in_table_ = table->plain;
    }
  } catch (const std::bad_alloc&) {  // seeks take longer
  }
  decoder_.resume();
}

void zstd_input::seek(std::uint64_t offset) noexcept {
  if (failure_ || !open_) return;
  if (window_.reaches(offset)) return;
  const bool can = can_seek();
  if (!take_failure()) return;
  if (!can) return fail("seek in", std::make_error_code(std::errc::invalid_seek));
  window_.move_to(offset);
}

void zstd_input::refresh(std::uint64_t offset) noexcept {
  seek(offset);
  if (content_ != content::plain || failure_ || !open_ || !can_seek()) return;
  window_.move_to(offset);
  head_size_ = 0;
  inner_->refresh(offset);
}

std::uint64_t zstd_input::size(std::error_code& failure) noexcept {
  failure.clear();
  if (!recognise()) failure = failure_;
  if (failure) return 0;
  if (content_ == content::plain) return inner_->size(failure);
  if (!size_) load_table();
  if (size_) return *size_;
  return inner_->can_seek() ? size_by_reading(failure) : 0;
}

// Uses a decoder of its own, so that the window stays valid.
std::uint64_t zstd_input::size_by_reading(std::error_code& failure) noexcept {
  zstd_decoder other{*inner_, accepts_unclosed_};
  other.restart(frames_.back());
  while (!other.next().empty()) {
  }
  size_lacks_end_ = other.is_unclosed();
  failure = inner_->failure() ? inner_->failure() : other.failure().code;
  if (!failure) size_ = other.offset();
  decoder_.resume();
  return failure ? 0 : *size_;
}

void zstd_input::close(std::size_t used) noexcept {
  if (!open_) return;
  const std::uint64_t end = content_ == content::compressed ? decoder_.stored_offset() : window_.offset() + used;
  window_.clear();
  inner_->close(static_cast<std::size_t>(std::clamp(end, inner_->offset(), end_of_inner()) - inner_->offset()));
  take_failure();
  open_ = false;
}

}  // namespace

void check_decompression(const native_string& /*path*/) {}

std::unique_ptr<source> decompress(std::unique_ptr<source> inner, decompression how, bool accepts_unclosed) {
  return std::make_unique<zstd_input>(std::move(inner), how, accepts_unclosed);
}

}  // namespace freshet::detail

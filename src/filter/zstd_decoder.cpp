#include "src/filter/zstd_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace freshet::detail {
namespace {

// 128 MiB: the largest window that `zstd -d` accepts without `--long`.
constexpr int largest_window_log = 27;
// Bytes returned at a time from a frame that is not returned as a whole: two of zstd's own blocks.
constexpr std::size_t piece_size = std::size_t{256} << 10;

}  // namespace

void zstd_decoder::begin_with(std::span<const std::byte> first) noexcept {
  std::ranges::copy(first, crossing_.begin());
  crossing_size_ = stored_offset_ = first.size();
}

void zstd_decoder::restart(const zstd_frame_start& at) noexcept {
  move_to(at.stored);
  offset_ = at.plain;
  place_ = place::between;
  crossing_size_ = 0;
  is_marked_ = at_end_ = is_cut_ = false;
  failure_ = {};
  if (context_) ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
}

void zstd_decoder::move_to(std::uint64_t stored) noexcept {
  from_.seek(stored);
  stored_offset_ = stored;
  taken_ = from_.failure() ? 0 : static_cast<std::size_t>(stored - from_.offset());
}

void zstd_decoder::take(std::size_t length) noexcept {
  taken_ += length;
  stored_offset_ += length;
}

// Whether there are more bytes in the source.
bool zstd_decoder::has_more() noexcept {
  if (taken_ < from_.window().size()) return true;
  taken_ = 0;
  return from_.next_window();
}

// What was decompressed of a frame that is checked as a whole is not returned.
void zstd_decoder::end_as_cut() noexcept {
  if (from_.failure()) return;
  is_cut_ = true;
  if (accepts_unclosed_)
    at_end_ = true;
  else
    fail(std::errc::bad_message, "the file was not closed by its writer, or it was cut");
}

// Whether zeros end the file, which a seek table would not, and no more than one frame is before them, from `frame` on:
// a killed program leaves them where a method had set the file's size ahead.
bool zstd_decoder::ends_in_zeros(std::uint64_t frame) noexcept {
  constexpr std::uint64_t fewest = 16;
  const auto is_other = [](std::byte each) { return each != std::byte{}; };
  const std::uint64_t longest = ZSTD_compressBound(zstd_format::frame_size);
  std::uint64_t begin = stored_offset_;  // of the zeros
  while (begin <= frame + longest && has_more()) {
    const auto bytes = stored();
    const auto before =
        static_cast<std::size_t>(std::find_if(bytes.rbegin(), bytes.rend(), is_other).base() - bytes.begin());
    if (before != 0) begin = stored_offset_ + before;
    take(bytes.size());
  }
  return begin <= frame + longest && stored_offset_ - begin >= fewest && !from_.failure();
}

std::span<const std::byte> zstd_decoder::next() noexcept {
  while (!failure_.code && !from_.failure() && !is_cut_) {
    if (place_ == place::between && !begin_frame()) break;
    if (place_ == place::between) continue;  // that was a skippable one
    const std::size_t length = decompress();
    if (failure_.code || from_.failure()) break;
    offset_ += length;
    if (length != 0) return std::span<const std::byte>{buffer_}.first(length);
  }
  return {};
}

// Returns false at the end of the file and on failure. A header that lies in one window stays there, so that libzstd
// may see the whole frame; another one is in crossing_ afterwards.
bool zstd_decoder::read_header() noexcept {
  if (crossing_size_ == 0 && !has_more()) return false;
  auto result =
      zstd_format::parse(crossing_size_ == 0 ? stored() : std::span{crossing_}.first(crossing_size_), header_);
  while (result == zstd_format::parse_result::incomplete) {
    if (!has_more()) {
      end_as_cut();
      return false;
    }
    crossing_[crossing_size_++] = stored().front();
    take(1);
    result = zstd_format::parse(std::span{crossing_}.first(crossing_size_), header_);
  }
  if (result == zstd_format::parse_result::ok) return true;
  if (is_marked_ && ends_in_zeros(stored_offset_))
    end_as_cut();
  else
    fail(std::errc::bad_message, "what follows the last good frame is no frame of zstd");
  return false;
}

bool zstd_decoder::begin_frame() noexcept {
  const zstd_frame_start start{offset_, stored_offset_ - crossing_size_};
  if (!read_header()) {
    if (!failure_.code && !from_.failure()) end_file();
    return false;
  }
  frame_ = start;
  if (header_.what != zstd_format::header::kind::data) {
    skip_frame();
    return !failure_.code && !from_.failure();
  }
  if (is_marked_ && !(header_.is_marked && header_.has_checksum && header_.content)) {
    fail(std::errc::bad_message, "the header of a frame is damaged");
    return false;
  }
  is_marked_ = header_.is_marked;
  return prepare();
}

void zstd_decoder::end_file() noexcept {
  if (is_cut_) return;
  if (is_marked_) return end_as_cut();
  at_end_ = true;
}

void zstd_decoder::skip_frame() noexcept {
  std::uint64_t left = *header_.content + (crossing_size_ == 0 ? header_.length : 0);
  crossing_size_ = 0;
  while (left != 0) {
    if (!has_more()) return end_as_cut();
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(left, stored().size()));
    take(length);
    left -= length;
  }
  // Behind it, a file of another maker may have been appended.
  if (header_.what == zstd_format::header::kind::seek_table) is_marked_ = false;
}

// Creates the context and the buffer that decompressing the frame needs.
bool zstd_decoder::prepare() noexcept try {
  if (!context_) {
    context_.reset(ZSTD_createDCtx());
    if (!context_) throw std::bad_alloc{};
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_window_log);
  }
  is_whole_ = header_.has_checksum && header_.content && *header_.content <= zstd_format::frame_size;
  const std::size_t wanted = is_whole_ ? static_cast<std::size_t>(*header_.content) : piece_size;
  if (buffer_.size() < wanted) buffer_ = std::vector<std::byte>(wanted);
  place_ = place::in_frame;
  is_full_ = false;
  return true;
} catch (const std::bad_alloc&) {
  fail(std::errc::not_enough_memory, {});
  return false;
}

// Returns how many bytes of the frame are in the buffer: all, or some of a large frame; 0 if it has none, and on
// failure.
std::size_t zstd_decoder::decompress() noexcept {
  const std::size_t size = is_whole_ ? static_cast<std::size_t>(*header_.content) : piece_size;
  ZSTD_outBuffer into{buffer_.data(), size, 0};
  if (crossing_size_ != 0) decompress_some(std::span{crossing_}.first(crossing_size_), into);
  crossing_size_ = 0;
  while (!failure_.code && place_ == place::in_frame) {
    if (!is_full_ && !has_more()) {
      end_as_cut();
      break;
    }
    const std::size_t before = into.pos;
    take(decompress_some(stored(), into));
    is_full_ = into.pos == into.size && into.pos != before;
    if (!is_whole_ && into.pos != 0 && (is_full_ || stored().empty())) break;
  }
  // A lack of memory says nothing about the file.
  if (failure_.code == std::errc::bad_message && is_marked_ && ends_in_zeros(frame_.stored)) {
    failure_ = {};
    end_as_cut();
  }
  return failure_.code || (is_whole_ && is_cut_) ? 0 : into.pos;
}

// Returns how many bytes of `from` it used.
std::size_t zstd_decoder::decompress_some(std::span<const std::byte> from, ZSTD_outBuffer& into) noexcept {
  ZSTD_inBuffer in{from.data(), from.size(), 0};
  const std::size_t result = ZSTD_decompressStream(context_.get(), &into, &in);
  if (ZSTD_isError(result) != 0)
    failure_ = failure_of(result);
  else if (result == 0)
    place_ = place::between;
  return in.pos;
}

}  // namespace freshet::detail

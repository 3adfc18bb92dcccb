// Reads sealed files.
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include <freshet/error.hpp>

#include "src/filter/filtered_input.hpp"
#include "src/filter/sealed.hpp"
#include "src/filter/stored_bytes.hpp"

namespace freshet::detail {
namespace {

constexpr std::string_view is_altered = "the file was altered or damaged: a chunk is not as it was sealed";
constexpr std::string_view goes_on = "the file was altered or damaged: it goes on after its last chunk";

class sealed_input final : public filtered_input {
 public:
  /// @throws freshet::error
  sealed_input(std::unique_ptr<source> inner, const encryption_key& key, sealed_content& content, bool accepts_unclosed)
      : filtered_input{std::move(inner)},
        accepts_unclosed_{accepts_unclosed},
        stored_{*inner_},
        layout_{read_header(key, content)},
        memory_{std::make_unique_for_overwrite<std::byte[]>(layout_.segment())} {}

  void seek(std::uint64_t offset) noexcept override;
  void close(std::size_t used) noexcept override;
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept override;

 private:
  bool fetch() noexcept override;

  // Where a chunk begins: in the sealed file, and in the plain one, which is unknown after a jump.
  struct place {
    std::uint64_t position = sealed_header::length;
    std::optional<std::uint64_t> offset = {};
  };
  // A chunk whose content was verified, or why there is none.
  struct opened_chunk {
    chunk_head head = {};
    std::error_code error = {};
    std::string_view reason = {};
    bool is_cut = false;  // the file ends within the chunk, or before it

    [[nodiscard]] bool holds(std::uint64_t offset) const noexcept {
      return !error && offset >= head.offset && (head.is_last || offset - head.offset < head.content);
    }
  };

  [[nodiscard]] std::size_t read_header(const encryption_key& key, sealed_content& content);
  [[nodiscard]] opened_chunk open_chunk(place& at, std::span<std::byte> into) noexcept;
  [[nodiscard]] opened_chunk decrypt(const chunk_head::bytes& head, std::uint64_t position,
                                     std::span<std::byte> into) noexcept;
  [[nodiscard]] opened_chunk incomplete() const noexcept;
  [[nodiscard]] opened_chunk not_as_sealed() noexcept;
  [[nodiscard]] opened_chunk open_whole_chunk(place& at, std::span<std::byte> into) noexcept;
  [[nodiscard]] place begin_of(std::uint64_t segment) const noexcept;
  [[nodiscard]] static opened_chunk damaged(std::string_view reason) noexcept {
    return {.error = std::make_error_code(std::errc::bad_message), .reason = reason};
  }
  [[nodiscard]] opened_chunk find(std::uint64_t offset) noexcept;
  [[nodiscard]] std::uint64_t last_segment(std::error_code& error) noexcept;
  [[nodiscard]] std::uint64_t last_good_segment(std::uint64_t last, std::span<std::byte> memory) noexcept;
  bool show(const opened_chunk& chunk) noexcept;
  void check_end() noexcept;

  bool accepts_unclosed_;
  stored_bytes stored_;
  message_cipher cipher_;
  bool is_last_ = false;  // the window's chunk is the last one, or there is none
  segment_layout layout_;
  std::unique_ptr<std::byte[]> memory_;  // the content of the window's chunk
  place next_{.offset = 0};              // the chunk after that
  bool is_sought_ = false;               // the chunk at the window has to be found
  std::optional<std::uint64_t> size_;    // of the plain file, once it was found
};

std::size_t sealed_input::read_header(const encryption_key& key, sealed_content& content) {
  const auto refuse = [&](std::errc why, std::string_view reason) {
    throw freshet::error{std::make_error_code(why), "open", path_, freshet::error::no_offset, reason};
  };
  if (const auto reason = why_unusable(key); !reason.empty()) refuse(std::errc::operation_not_supported, reason);
  sealed_header::bytes bytes{};
  const std::size_t length = stored_.copy(bytes);
  if (stored_.failure()) throw failure_as_error();
  if (length < bytes.size() && may_become_sealed_header(std::span{bytes}.first(length))) {
    if (!accepts_unclosed_) throw unclosed_file(path_, "open", freshet::error::no_offset);
    content = sealed_content::bytes;
    is_last_ = true;  // there is nothing to read
    return default_segment;
  }
  sealed_header header;
  file_keys keys;
  const auto problem = detail::read_header(bytes, *key.contents(), header, keys);
  if (problem.code != std::errc{}) refuse(problem.code, problem.reason);
  if (!cipher_.start(message_cipher::direction::open, keys.chunks))
    refuse(std::errc::not_enough_memory, "OpenSSL could not set the key up");
  content = header.content;
  return header.segment;
}

bool sealed_input::fetch() noexcept {
  if (failure_ || !open_) return false;
  if (std::exchange(is_sought_, false)) return show(find(window_.offset()));
  if (!is_last_) return show(open_chunk(next_, {memory_.get(), layout_.segment()}));
  check_end();
  return false;
}

// Precondition: the last chunk was opened.
void sealed_input::check_end() noexcept {
  if (!stored_.next().empty()) fail("read", std::make_error_code(std::errc::bad_message), goes_on);
  if (stored_.failure()) fail("read", stored_.failure());
}

// Makes the chunk's content from there on the window.
bool sealed_input::show(const opened_chunk& chunk) noexcept {
  if (chunk.is_cut)
    fail_as_unclosed();
  else if (chunk.error)
    fail("read", chunk.error, chunk.reason);
  if (chunk.error) return false;
  is_last_ = chunk.head.is_last;
  const std::uint64_t before = std::min<std::uint64_t>(window_.offset() - chunk.head.offset, chunk.head.content);
  window_.show(std::span{memory_.get(), chunk.head.content}.subspan(static_cast<std::size_t>(before)));
  // The caller takes an empty window for the end of the file, and does not call again.
  if (is_last_ && window_.empty()) check_end();
  return !window_.empty();
}

// Opens the chunk at `at`, which then becomes the place of the next one. If the program accepts it, a file that lacks
// its end has an empty last chunk where its good ones end.
sealed_input::opened_chunk sealed_input::open_chunk(place& at, std::span<std::byte> into) noexcept {
  opened_chunk chunk = open_whole_chunk(at, into);
  if (!chunk.is_cut || !accepts_unclosed_ || !at.offset) return chunk;
  at.position = stored_.position();
  return {.head = {.offset = *at.offset, .is_last = true}};
}

// Returns a chunk that is cut if the file ends within it.
sealed_input::opened_chunk sealed_input::open_whole_chunk(place& at, std::span<std::byte> into) noexcept {
  if (stored_.position() != at.position) stored_.seek(at.position);
  std::array<std::byte, chunk_overhead> padding{};
  const auto zeros = std::span{padding}.first(layout_.padding(at.position));
  if (stored_.copy(zeros) < zeros.size()) return incomplete();
  if (std::ranges::any_of(zeros, [](std::byte each) { return each != std::byte{}; })) return not_as_sealed();
  const std::uint64_t position = at.position + zeros.size();
  chunk_head::bytes bytes{};
  if (stored_.copy(bytes) < bytes.size()) return incomplete();
  const auto head = chunk_head::decode(bytes);
  const bool is_possible = head.content <= layout_.room(position) && (head.content > 0 || head.is_last);
  if (!is_possible || (at.offset && *at.offset != head.offset)) return not_as_sealed();
  auto chunk = decrypt(bytes, position, into.first(head.content));
  chunk.head = head;
  if (chunk.is_cut) return chunk;
  at = {position + chunk_overhead + head.content, head.offset + head.content};
  return chunk;
}

// Decrypts from the memory of the inner source, without a copy.
sealed_input::opened_chunk sealed_input::decrypt(const chunk_head::bytes& head, std::uint64_t position,
                                                 std::span<std::byte> into) noexcept {
  const opened_chunk failed{.error = std::make_error_code(std::errc::not_enough_memory), .reason = "OpenSSL failed"};
  if (!cipher_.begin(nonce_of(position, chunk_head::decode(head).is_last), head)) return failed;
  while (!into.empty()) {
    const auto bytes = stored_.next();
    const auto piece = bytes.first(std::min(bytes.size(), into.size()));
    if (piece.empty()) return incomplete();
    if (!cipher_.transform(piece, into.data())) return failed;
    stored_.use(piece.size());
    into = into.subspan(piece.size());
  }
  cipher_tag tag{};
  if (stored_.copy(tag) < tag.size()) return incomplete();
  return cipher_.verify(tag) ? opened_chunk{} : not_as_sealed();
}

sealed_input::opened_chunk sealed_input::incomplete() const noexcept {
  if (stored_.failure()) return {.error = stored_.failure()};
  return {.error = std::make_error_code(std::errc::bad_message), .is_cut = true};
}

sealed_input::opened_chunk sealed_input::not_as_sealed() noexcept {
  return stored_.are_zeros() ? incomplete() : damaged(is_altered);
}

void sealed_input::seek(std::uint64_t offset) noexcept {
  if (failure_ || !open_) return;
  if (window_.reaches(offset)) return;
  if (!can_seek()) return fail("seek in", std::make_error_code(std::errc::invalid_seek));
  window_.move_to(offset);
  is_sought_ = true;
}

void sealed_input::close(std::size_t /*used*/) noexcept {
  if (!open_) return;
  window_.clear();
  inner_->close(stored_.used());
  take_failure();
  open_ = false;
}

// Opens the chunk that holds `offset`, or the last one. If all chunks are full, it is the first one of the segment that
// follows from the offset. If some chunks are short, because the program flushed, it is in that segment or a later one,
// which bisection finds. A segment that cannot be read counts as one behind the offset, so that damage does not keep a
// program from what lies before it.
sealed_input::opened_chunk sealed_input::find(std::uint64_t offset) noexcept {
  const std::span memory{memory_.get(), layout_.segment()};
  std::error_code error;
  const std::uint64_t last = last_segment(error);
  if (error) return {.error = error};
  std::uint64_t from = std::min(layout_.first_segment_of(offset), last);
  next_ = begin_of(from);
  opened_chunk chunk = open_chunk(next_, memory);
  if (chunk.is_cut && accepts_unclosed_) {
    next_ = begin_of(from = last_good_segment(from, memory));
    chunk = open_chunk(next_, memory);
  }
  if (chunk.holds(offset) || stored_.failure()) return chunk;
  for (std::uint64_t to = last + 1; to - from > 1;) {
    const std::uint64_t middle = from + (to - from) / 2;
    next_ = begin_of(middle);
    chunk = open_chunk(next_, memory);
    if (chunk.holds(offset) || stored_.failure()) return chunk;
    (!chunk.error && chunk.head.offset <= offset ? from : to) = middle;
  }
  next_ = begin_of(from);
  do chunk = open_chunk(next_, memory);
  while (!chunk.error && !chunk.holds(offset) && chunk.head.offset <= offset);
  return chunk.error || chunk.holds(offset) ? chunk : damaged(is_altered);
}

// The last segment, up to `last`, whose first chunk can be opened: behind it are zeros that a killed program left.
std::uint64_t sealed_input::last_good_segment(std::uint64_t last, std::span<std::byte> memory) noexcept {
  std::uint64_t good = 0;
  for (std::uint64_t bad = last + 1; bad - good > 1;) {
    const std::uint64_t middle = good + (bad - good) / 2;
    place begin = begin_of(middle);
    (open_chunk(begin, memory).error ? bad : good) = middle;
  }
  return good;
}

// Only the first segment is known to begin with the plain file's first byte.
sealed_input::place sealed_input::begin_of(std::uint64_t segment) const noexcept {
  place begin{.position = layout_.first_chunk(segment)};
  if (segment == 0) begin.offset = 0;
  return begin;
}

// The number of the segment that the file ends in.
std::uint64_t sealed_input::last_segment(std::error_code& error) noexcept {
  const std::uint64_t size = stored_.size(error);
  return size == 0 ? 0 : (size - 1) / layout_.segment();
}

std::uint64_t sealed_input::size(std::error_code& failure) noexcept {
  failure.clear();
  if (size_ || !can_seek()) return size_.value_or(0);
  const std::unique_ptr<std::byte[]> memory{new (std::nothrow) std::byte[layout_.segment()]};
  if (!memory) failure = std::make_error_code(std::errc::not_enough_memory);
  if (failure) return 0;
  const std::uint64_t last = last_segment(failure);
  if (failure) return 0;
  place at = begin_of(last);
  const std::span into{memory.get(), layout_.segment()};
  opened_chunk chunk = open_chunk(at, into);
  if (chunk.is_cut && accepts_unclosed_) {
    at = begin_of(last_good_segment(last, into));
    chunk = open_chunk(at, into);
  }
  while (!chunk.error && !chunk.head.is_last) chunk = open_chunk(at, into);
  if (!chunk.error && stored_.size(failure) > at.position) chunk = damaged(goes_on);
  if (chunk.error) failure = chunk.error;
  size_lacks_end_ = chunk.is_cut;
  if (failure) return 0;
  size_ = *at.offset;
  return *size_;
}

}  // namespace

std::unique_ptr<source> unseal_from(std::unique_ptr<source> inner, const encryption_key& key, sealed_content& content,
                                    bool accepts_unclosed) {
  return std::make_unique<sealed_input>(std::move(inner), key, content, accepts_unclosed);
}

}  // namespace freshet::detail

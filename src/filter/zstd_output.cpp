// Compresses what is written into frames of zstd, and ends the file with the table by which readers seek.
#include <algorithm>
#include <array>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "src/filter/filtered_output.hpp"
#include "src/filter/zstd.hpp"
#include "src/filter/zstd_format.hpp"
#include "src/filter/zstd_frames.hpp"

namespace freshet::detail {
namespace {

constexpr unsigned most_threads = 64;
constexpr unsigned most_unasked = 4;
// Pieces in flight beyond one for each thread, so that no thread is idle while the program waits for the oldest piece.
constexpr std::size_t most_waiting = 2;
// All blocks that reach the file end at multiples of this, except for those that are flushed.
constexpr std::size_t sector = 512;

unsigned threads_for(const compression& options) {
  if (options.threads != 0) return options.threads;
  return std::clamp(std::thread::hardware_concurrency(), 1U, most_unasked);
}

class zstd_output final : public filtered_output {
 public:
  zstd_output(std::unique_ptr<sink> inner, const compression& options)
      : filtered_output{std::move(inner), zstd_format::frame_size},
        options_{options},
        frames_{std::make_unique<zstd_frames>(options.level, threads_for(options))} {
    show_chunk();
  }

 private:
  block transform(block plain, std::size_t filled) noexcept override;
  void drain() noexcept override;
  void finish(block plain, std::size_t filled) noexcept override;

  bool may_continue();
  [[nodiscard]] block next_block(std::size_t size) noexcept;
  [[nodiscard]] block store_next() noexcept;
  void store_all() noexcept;
  void store_frame(std::span<std::byte> frame, std::size_t plain);
  void store_empty_frame();
  [[nodiscard]] std::vector<std::byte> make_copy();
  void store_table();
  void put(std::span<const std::byte> bytes) noexcept {
    store(bytes);
    stored_ += bytes.size();
  }
  void run_out_of_memory() noexcept { fail("compress", std::make_error_code(std::errc::not_enough_memory)); }

  compression options_;
  std::unique_ptr<zstd_frames> frames_;
  std::vector<zstd_format::table_entry> entries_;
  std::uint64_t stored_ = 0;  // bytes
  bool is_begun_ = false;     // the first bytes of the next frame are stored
};

block zstd_output::transform(block plain, std::size_t filled) noexcept try {
  if (!may_continue()) return {};
  const std::size_t size = plain.size();
  frames_->push(std::move(plain), filled, filled == zstd_format::frame_size);
  return next_block(size);
} catch (const std::bad_alloc&) {
  run_out_of_memory();
  return {};
}

// The child of a fork has no threads, so pieces that were in flight are lost there. After flush() there are none, and
// the child may go on with threads of its own.
bool zstd_output::may_continue() {
  if (frames_->is_ours()) return true;
  if (frames_->in_flight() != 0) {
    fail("compress", std::make_error_code(std::errc::owner_dead));
    return false;
  }
  frames_ = std::make_unique<zstd_frames>(options_.level, threads_for(options_));
  return true;
}

// Stores the frames that are ready. Waits for one if too many are in flight, or if there is no memory for a new block.
block zstd_output::next_block(std::size_t size) noexcept {
  block next;
  const std::size_t most = size < zstd_format::frame_size ? 0 : threads_for(options_) + most_waiting;
  while (!failure() && frames_->in_flight() != 0 && (frames_->in_flight() > most || frames_->is_next_ready()))
    next = store_next();
  if (!next && !failure()) next = pool::try_take(size);
  while (!next && !failure() && frames_->in_flight() != 0) next = store_next();
  return next;
}

// Returns the block of the piece.
block zstd_output::store_next() noexcept {
  auto job = frames_->take_next();
  if (job->failure.code) {
    fail("compress", job->failure.code, job->failure.detail);
    return {};
  }
  try {
    store_frame(std::span{job->frame}.first(job->length), job->filled);
  } catch (const std::bad_alloc&) {
    run_out_of_memory();
  }
  block plain = std::move(job->plain);
  frames_->give_back(std::move(job));
  return plain;
}

// A file that ends where a frame ends looks complete. If the program is killed, the file ends with any of its blocks,
// so no frame may end where a block can.
void zstd_output::store_frame(std::span<std::byte> frame, std::size_t plain) {
  const std::size_t begun = std::exchange(is_begun_, false) ? zstd_format::magic_size : 0;
  const bool widens = (stored_ - begun + frame.size()) % sector == 0;
  const std::size_t split = widens ? zstd_format::widen_mark(frame) : frame.size();
  put(frame.first(split).subspan(begun));
  if (widens) put(std::array{std::byte{0}});
  put(frame.subspan(split));
  if (entries_.size() < zstd_format::most_frames)
    entries_.push_back(
        {static_cast<std::uint32_t>(frame.size() + (widens ? 1 : 0)), static_cast<std::uint32_t>(plain)});
}

// Begins the next frame, so that a file that is not closed afterwards does not look complete.
void zstd_output::drain() noexcept {
  store_all();
  if (failure() || std::exchange(is_begun_, true)) return;
  put(zstd_format::begin_of_frame());
}

void zstd_output::store_all() noexcept try {
  if (!may_continue()) return;
  while (!failure() && frames_->in_flight() != 0) static_cast<void>(store_next());
} catch (const std::bad_alloc&) {
  run_out_of_memory();
}

// An empty file gets an empty frame, whose magic number says what the file is.
void zstd_output::finish(block plain, std::size_t filled) noexcept try {
  if (!may_continue()) return;
  if (filled != 0) frames_->push(std::move(plain), filled, false);
  store_all();
  if (!failure() && (entries_.empty() || is_begun_)) store_empty_frame();
  if (!failure()) store_table();
} catch (const std::bad_alloc&) {
  run_out_of_memory();
}

void zstd_output::store_empty_frame() {
  std::vector<std::byte> frame(zstd_compressor::bound(0));
  zstd_failure failure;
  frame.resize(zstd_compressor{options_.level}.compress({}, frame, failure));
  if (failure.code) return fail("compress", failure.code, failure.detail);
  store_frame(frame, 0);
}

// Returns a frame that holds the entries with a checksum; none after a failure.
std::vector<std::byte> zstd_output::make_copy() {
  const auto plain = zstd_format::encode(entries_);
  std::vector<std::byte> compressed(zstd_compressor::bound(plain.size()));
  zstd_failure failure;
  // Without the mark of the frames with the program's bytes, it cannot be taken for one of them, whatever is damaged.
  compressed.resize(zstd_compressor{options_.level}.compress_unmarked(plain, compressed, failure));
  if (!failure.code) return zstd_format::copy_frame(compressed);
  fail("compress", failure.code, failure.detail);
  return {};
}

void zstd_output::store_table() {
  if (entries_.size() == zstd_format::most_frames) entries_.clear();  // too many: the table only ends the file
  auto copy = make_copy();
  while (!failure() && (stored_ + copy.size()) % sector == 0) {  // as in store_frame()
    store_empty_frame();
    copy = make_copy();
  }
  if (failure()) return;
  put(copy);
  entries_.push_back({static_cast<std::uint32_t>(copy.size()), 0});
  put(zstd_format::seek_table_frame(entries_));
}

}  // namespace

void check_compression(const native_string& path, const compression& options) {
  const auto invalid = [&](std::string_view detail) {
    throw error{std::make_error_code(std::errc::invalid_argument), "open", path, error::no_offset, detail};
  };
  if (options.level < ZSTD_minCLevel() || options.level > ZSTD_maxCLevel())
    invalid("the compression level must be from " + std::to_string(ZSTD_minCLevel()) + " to " +
            std::to_string(ZSTD_maxCLevel()));
  if (options.threads > most_threads) invalid("compression takes at most 64 threads");
}

std::unique_ptr<sink> compress(std::unique_ptr<sink> inner, const compression& options) {
  return std::make_unique<zstd_output>(std::move(inner), options);
}

}  // namespace freshet::detail

// Compresses what is written into frames of zstd, and ends the file with the table by which readers seek.
#include <algorithm>
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
// Pieces in flight beyond one for each thread: while the program waits, no thread does.
constexpr std::size_t most_waiting = 2;

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
  void store_table();
  void run_out_of_memory() noexcept { fail("compress", std::make_error_code(std::errc::not_enough_memory)); }

  compression options_;
  std::unique_ptr<zstd_frames> frames_;
  std::vector<zstd_format::table_entry> entries_;
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

// The child of a fork has no threads. Nothing is lost if nothing is in flight, as after flush().
bool zstd_output::may_continue() {
  if (frames_->is_ours()) return true;
  if (frames_->in_flight() != 0) {
    fail("compress", std::make_error_code(std::errc::owner_dead));
    return false;
  }
  frames_ = std::make_unique<zstd_frames>(options_.level, threads_for(options_));
  return true;
}

// Stores what is ready, and waits where memory is used up.
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
  store(std::span<const std::byte>{job->frame}.first(job->length));
  try {
    if (entries_.size() < zstd_format::most_frames)
      entries_.push_back({static_cast<std::uint32_t>(job->length), static_cast<std::uint32_t>(job->filled)});
  } catch (const std::bad_alloc&) {
    run_out_of_memory();
  }
  block plain = std::move(job->plain);
  frames_->give_back(std::move(job));
  return plain;
}

void zstd_output::drain() noexcept try {
  if (!may_continue()) return;
  while (!failure() && frames_->in_flight() != 0) static_cast<void>(store_next());
} catch (const std::bad_alloc&) {
  run_out_of_memory();
}

// Even an empty file has a frame, so that it is known by its magic number.
void zstd_output::finish(block plain, std::size_t filled) noexcept try {
  if (!may_continue()) return;
  const bool is_empty = entries_.empty() && frames_->in_flight() == 0;
  if (filled != 0 || is_empty) frames_->push(std::move(plain), filled, false);
  drain();
  if (!failure()) store_table();
} catch (const std::bad_alloc&) {
  run_out_of_memory();
}

void zstd_output::store_table() {
  if (entries_.size() == zstd_format::most_frames) entries_.clear();  // too many: the table only ends the file
  const auto plain = zstd_format::encode(entries_);
  std::vector<std::byte> compressed(zstd_compressor::bound(plain.size()));
  zstd_failure failure;
  // Without the mark of the frames with the program's bytes, it cannot be taken for one of them, whatever is damaged.
  compressed.resize(zstd_compressor{options_.level}.compress_unmarked(plain, compressed, failure));
  if (failure.code) return fail("compress", failure.code, failure.detail);
  const auto copy = zstd_format::copy_frame(compressed);
  entries_.push_back({static_cast<std::uint32_t>(copy.size()), 0});
  store(copy);
  store(zstd_format::seek_table_frame(entries_));
}

}  // namespace

void check_compression(const std::string& path, const compression& options) {
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

#include "src/filter/zstd_frames.hpp"

#include <zstd_errors.h>

#include <algorithm>
#include <new>

#include "src/filter/zstd_format.hpp"
#include "src/os/thread.hpp"

namespace freshet::detail {

zstd_failure failure_of(std::size_t result) noexcept {
  const bool is_memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
  return {std::make_error_code(is_memory ? std::errc::not_enough_memory : std::errc::bad_message),
          ZSTD_getErrorName(result)};
}

// One byte more for the mark.
std::size_t zstd_compressor::bound(std::size_t length) noexcept { return ZSTD_compressBound(length) + 1; }

std::size_t zstd_compressor::compress(std::span<const std::byte> plain, std::span<std::byte> frame,
                                      zstd_failure& failure) noexcept {
  const std::size_t length = compress_unmarked(plain, frame.subspan(1), failure);
  if (failure.code) return 0;
  zstd_format::mark(frame.first(length + 1));
  return length + 1;
}

std::size_t zstd_compressor::compress_unmarked(std::span<const std::byte> plain, std::span<std::byte> frame,
                                               zstd_failure& failure) noexcept {
  failure = {};
  if (!context_) {
    context_.reset(ZSTD_createCCtx());
    if (!context_) {
      failure.code = std::make_error_code(std::errc::not_enough_memory);
      return 0;
    }
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level_);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  const std::size_t length = ZSTD_compress2(context_.get(), frame.data(), frame.size(), plain.data(), plain.size());
  if (ZSTD_isError(length) == 0) return length;
  failure = failure_of(length);
  return 0;
}

namespace {

void compress(zstd_job& job, zstd_compressor& by) noexcept {
  try {
    job.frame.resize(std::max(job.frame.size(), zstd_compressor::bound(job.filled)));
    job.length = by.compress(job.plain.bytes().first(job.filled), job.frame, job.failure);
  } catch (const std::bad_alloc&) {
    job.failure.code = std::make_error_code(std::errc::not_enough_memory);
  }
}

}  // namespace

zstd_frames::~zstd_frames() {
  if (!is_ours()) {  // neither threads nor locks are what they were
    static_cast<void>(state_.release());
    for (auto& job : jobs_) static_cast<void>(job.release());
    return;
  }
  {
    const std::lock_guard lock{state_->mutex};
    state_->ends = true;
  }
  state_->has_work.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void zstd_frames::push(block plain, std::size_t filled, bool beside) {
  if (spare_.empty()) spare_.push_back(std::make_unique<zstd_job>());
  jobs_.push_back(nullptr);
  bool wants_thread = false;
  try {
    const std::lock_guard lock{state_->mutex};
    // Room for its result, and for its return: neither can fail any more.
    state_->done.reserve(jobs_.size());
    spare_.reserve(spare_.size() + jobs_.size());
    state_->waiting.push_back(spare_.back().get());
    spare_.back()->plain = std::move(plain);
    spare_.back()->filled = filled;
    wants_thread = beside && state_->idle < state_->waiting.size();
  } catch (const std::bad_alloc&) {
    jobs_.pop_back();
    throw;
  }
  jobs_.back() = std::move(spare_.back());
  spare_.pop_back();
  if (wants_thread && state_->threads.size() < most_threads_) start_thread();
  state_->has_work.notify_one();
}

// Without it, there are fewer threads, and in the end the program's own.
void zstd_frames::start_thread() noexcept try {
  state_->threads.reserve(most_threads_);
  state_->threads.push_back(os::start_thread([shared = state_.get()] { work(*shared); }));
} catch (const std::exception&) {
}

void zstd_frames::work(state& shared) noexcept {
  zstd_compressor compressor{shared.level};
  std::unique_lock lock{shared.mutex};
  for (;;) {
    ++shared.idle;
    shared.has_work.wait(lock, [&] { return shared.ends || !shared.waiting.empty(); });
    --shared.idle;
    if (shared.ends) return;
    zstd_job& job = *shared.waiting.front();
    shared.waiting.pop_front();
    lock.unlock();
    compress(job, compressor);
    lock.lock();
    shared.done.push_back(&job);
    shared.has_result.notify_one();
  }
}

bool zstd_frames::is_next_ready() {
  const std::lock_guard lock{state_->mutex};
  return std::ranges::find(state_->done, jobs_.front().get()) != state_->done.end();
}

std::unique_ptr<zstd_job> zstd_frames::take_next() noexcept {
  auto job = std::move(jobs_.front());
  jobs_.pop_front();
  std::unique_lock lock{state_->mutex};
  if (const auto untaken = std::ranges::find(state_->waiting, job.get()); untaken != state_->waiting.end()) {
    state_->waiting.erase(untaken);
    lock.unlock();
    compress(*job, state_->own);
    return job;
  }
  const auto is_done = [&] { return std::ranges::find(state_->done, job.get()) != state_->done.end(); };
  state_->has_result.wait(lock, is_done);
  state_->done.erase(std::ranges::find(state_->done, job.get()));
  return job;
}

}  // namespace freshet::detail

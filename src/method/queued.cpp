// Hands blocks to a queue that writes them while the program fills the next block. The methods by io_uring, libaio,
// POSIX aio and completion ports differ only in the queue.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "src/method/methods.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail {
namespace {

class queued final : public method {
 public:
  queued(os::file& target, const method_setup& setup, os::queue_kind kind, bool direct)
      : file_{target},
        setup_{setup},
        kind_{kind},
        direct_{direct},
        slots_(setup.depth),
        end_{setup.start},
        cached_{setup.start} {}

  block exchange(full_block full, std::error_code& error) noexcept override {
    start(error);
    if (error) return {};
    if (degraded_) {
      write_synchronously(full.bytes(), error);
      return next_block(std::move(full.memory), error);
    }
    const auto parts = direct_ ? split_aligned(full.bytes(), full.offset) : aligned_parts{{}, full.bytes(), {}};
    if (!parts.head.empty()) write_synchronously(parts.head, error);
    if (!error && !parts.middle.empty()) submit(full.memory, parts.middle, error);
    if (!error && !parts.tail.empty()) write_synchronously(parts.tail, error);
    if (!error && setup_.durability == durability::each_write) wait_for_all(error);
    if (error) return {};
    return next_block(std::move(full.memory), error);
  }

  // Avoids the copy into a block. Waits for every write, because the caller may change its memory afterwards; pieces of
  // this size are as fast one at a time as several at once.
  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    error.clear();
    if (!direct_ || !is_aligned(bytes, offset)) return false;
    start(error);
    if (error) return true;
    while (!bytes.empty() && !error) {
      const auto piece = bytes.first(std::min(bytes.size(), largest_block));
      launch(piece, error);
      wait_for_all(error);
      bytes = bytes.subspan(piece.size());
    }
    return true;
  }

  void drain(std::error_code& error) noexcept override {
    wait_for_all(error);
    if (error || ahead_ == 0) return;
    // Only the parent may correct a size that was set before a fork.
    if (!queue_->is_ours()) return lose_track(std::make_error_code(std::errc::owner_dead), error);
    uninterrupted(error, [&] { file_.set_size(end_, error); });
    if (error) return fail(error, end_, error);
    ahead_ = 0;
  }

  std::uint64_t completed() const noexcept override {
    std::uint64_t prefix = std::min(end_, failed_at_);
    for (const auto& each : slots_)
      if (each.busy) prefix = std::min(prefix, each.offset);
    return prefix;
  }

  std::uint64_t largest_end() const noexcept override { return std::max(end_, ahead_); }

  std::string_view fallen_back_to() const noexcept override {
    if (!degraded_) return {};
    return direct_ ? direct_method.name : buffered_method.name;
  }

  ~queued() override {
    if (queue_ && queue_->is_ours()) queue_->detach();
  }

 private:
  // One of `depth` blocks: its memory and, while it is in flight, its destination.
  struct queue_slot {
    block memory;
    const std::byte* registered = nullptr;  // the memory that was passed to use_memory()
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;
    bool busy = false;
  };

  static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

  void start(std::error_code& error) {
    error = failure_;
    if (error || degraded_) return;
    const bool forked = static_cast<bool>(queue_);
    if (queue_) {
      if (queue_->is_ours()) return;
      if (in_flight_ > 0 || ahead_ > 0) return lose_track(std::make_error_code(std::errc::owner_dead), error);
      for (auto& each : slots_) each.registered = nullptr;
    }
    uninterrupted(error, [&] { queue_ = os::queue_lease::take(kind_, setup_.depth, error); });
    // In the child of a fork, POSIX aio has no threads and so gets no queue.
    if (error && (forked || !setup_.strict || is_shortage(error))) {
      degraded_ = true;
      return error.clear();
    }
    if (!error && direct_) uninterrupted(error, [&] { file_.set_direct(true, error); });
    accept_refusal(error);
    if (error) return fail(error, end_, error);
    queue_->attach(file_);
  }

  void submit(block& memory, std::span<const std::byte> bytes, std::error_code& error) {
    auto& slot = slots_[current_slot_];
    if (slot.registered != memory.data()) {
      queue_->use_memory(current_slot_, memory.bytes());
      slot.registered = memory.data();
    }
    launch(bytes, error);
    // The slot keeps the memory alive for the kernel whatever happens to the writer.
    if (slot.busy) slot.memory = std::move(memory);
  }

  // Starts a write or, where the kernel refuses it or persistently lacks what it takes, writes without the queue from
  // then on.
  void launch(std::span<const std::byte> bytes, std::error_code& error) {
    if (setup_.ordered && !degraded_) wait_for_all(error);
    if (degraded_) return write_synchronously(bytes, error);
    if (!error && setup_.size_ahead) set_size_ahead(end_ + bytes.size(), error);
    if (!error && direct_) cached_.write_back(file_, end_, error);
    if (error) return fail(error, end_, error);
    if (direct_) uninterrupted(error, [&] { file_.set_direct(true, error); });
    const bool may_submit = !error;
    if (may_submit) submit_patiently(bytes, error);
    if (accept_refusal(error) || is_shortage(error) || (may_submit && is_refusal(error))) {
      degraded_ = true;
      return write_synchronously(bytes, error);
    }
    if (error) return fail(error, end_, error);
    auto& slot = slots_[current_slot_];
    slot.bytes = bytes;
    slot.offset = end_;
    slot.busy = true;
    ++in_flight_;
    end_ += bytes.size();
  }

  // A write in flight frees what the kernel lacks when it ends.
  void submit_patiently(std::span<const std::byte> bytes, std::error_code& error) {
    patience left;
    for (;;) {
      uninterrupted(error, [&] { queue_->submit(current_slot_, bytes, end_, error); });
      if (!is_shortage(error)) return;
      if (in_flight_ > 0)
        reap();
      else if (!left.wait())
        return;
      if (failure_) return;
    }
  }

  // For pieces that are too small for direct I/O. They wait for all writes before them.
  void write_synchronously(std::span<const std::byte> bytes, std::error_code& error) {
    wait_for_all(error);
    if (!error) finish(bytes, end_, error);
    if (!error) end_ += bytes.size();
  }

  // Writes `bytes` while nothing else is in flight.
  void finish(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) {
    std::size_t written = 0;
    error.clear();
    if (direct_) written = write_all_direct(file_, bytes, offset, cached_, error);
    accept_refusal(error);
    if (!direct_) uninterrupted(error, [&] { file_.set_direct(false, error); });
    if (!direct_ && !error) written += write_all(file_, bytes.subspan(written), offset + written, pwrite_once, error);
    if (error) fail(error, offset + written, error);
    if (error) end_ = std::max(end_, offset + written);
  }

  // Where the system refuses direct I/O that nobody asked for, everything goes through the page cache from then on.
  // Clears its error then, and returns whether it did.
  bool accept_refusal(std::error_code& error) noexcept {
    if (!direct_ || setup_.strict || !is_refusal(error)) return false;
    direct_ = false;
    degraded_ = true;
    error.clear();
    return true;
  }

  // Returns an empty block: the one just used, if it is not in flight, an idle one, a new one, or the first to return.
  block next_block(block used, std::error_code& error) {
    if (used) return used;
    for (;;) {
      for (unsigned k = 0; k < slots_.size(); ++k)
        if (!slots_[k].busy && slots_[k].memory) return take_from(k);
      if (auto fresh = new_block()) return fresh;
      if (in_flight_ == 0) break;
      reap();
      if (failure_) break;
    }
    error = failure_;
    return {};
  }

  block take_from(unsigned k) {
    current_slot_ = k;
    return std::move(slots_[k].memory);
  }

  block new_block() {
    const auto empty = std::ranges::find_if(slots_, [](const queue_slot& each) { return !each.busy && !each.memory; });
    if (empty == slots_.end()) return {};
    auto fresh = pool::try_take(slots_[current_slot_].memory.size());
    if (fresh) current_slot_ = static_cast<unsigned>(empty - slots_.begin());
    return fresh;
  }

  // Waits even after an error: the file's length cannot be corrected while writes are in flight.
  void wait_for_all(std::error_code& error) {
    while (in_flight_ > 0) reap();
    error = failure_;
  }

  // Waits for one write, and completes it if it was short.
  void reap() {
    std::error_code error;
    if (!queue_->is_ours()) return lose_track(std::make_error_code(std::errc::owner_dead), error);
    os::completion completion;
    patience left;
    do completion = queue_->wait(error);
    while (is_interruption(error) || (is_shortage(error) && left.wait()));
    if (error) return lose_track(error, error);
    auto& slot = slots_[completion.tag];
    --in_flight_;
    slot.offset += completion.transferred;
    slot.bytes = slot.bytes.subspan(completion.transferred);
    // One that was refused may be what a limit of the size leaves room for, which finish() tells.
    accept_refusal(completion.error);
    if (completion.error && !may_be_repeated(completion.error) && !is_refusal(completion.error))
      fail(completion.error, slot.offset, error);
    else if (!slot.bytes.empty())
      finish_later(slot);
    slot.busy = false;
  }

  // The rest may be unaligned, so it has to wait until the direct writes in flight have ended.
  void finish_later(const queue_slot& unfinished) {
    std::error_code error;
    wait_for_all(error);
    if (error)
      fail(error, unfinished.offset, error);
    else
      finish(unfinished.bytes, unfinished.offset, error);
  }

  // The writes in flight can no longer be tracked. The queue's destructor waits for them, unless they are the parent
  // process's.
  void lose_track(std::error_code why, std::error_code& error) {
    fail(why, completed(), error);
    queue_.discard();
    in_flight_ = 0;
  }

  void fail(std::error_code why, std::uint64_t at, std::error_code& error) {
    failed_at_ = std::min(failed_at_, at);
    if (!failure_) failure_ = why;
    error = failure_;
  }

  void set_size_ahead(std::uint64_t needed, std::error_code& error) {
    if (needed <= ahead_) return;
    const std::uint64_t step = slots_.size() * largest_block;
    const std::uint64_t goal = std::max({needed, setup_.reserve, ahead_ + step});
    const std::uint64_t before = std::exchange(ahead_, goal);  // even a failed call may have changed the size
    uninterrupted(error, [&] { file_.set_size(goal, error); });
    // Without it, writes are only slower. What a limit of the size has no room for fails when it is written.
    if (!is_refusal(error) && error != std::errc::file_too_large) return;
    error.clear();
    ahead_ = before;
    setup_.size_ahead = false;
  }

  os::file& file_;
  method_setup setup_;
  os::queue_kind kind_;
  bool direct_;
  bool degraded_ = false;  // writes without a queue, because none was available, or direct I/O is refused
  os::queue_lease queue_;
  std::vector<queue_slot> slots_;
  unsigned current_slot_ = 0;  // the slot whose block the writer is filling
  unsigned in_flight_ = 0;
  std::uint64_t end_;  // where the next block goes
  cached_bytes cached_;
  std::uint64_t failed_at_ = nowhere;
  std::uint64_t ahead_ = 0;
  std::error_code failure_;
};

}  // namespace

std::unique_ptr<method> make_uring(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::uring, true);
}

std::unique_ptr<method> make_uring_buffered(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::uring, false);
}

std::unique_ptr<method> make_libaio(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::libaio, true);
}

std::unique_ptr<method> make_overlapped(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::overlapped, true);
}

std::unique_ptr<method> make_aio(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::posix_aio, false);
}

}  // namespace freshet::detail

// Reads past the page cache with io_uring or a completion port: the next blocks are in flight while the program reads
// the current one.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "src/method/read_method.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail {
namespace {

class queued_reading final : public read_method {
 public:
  queued_reading(os::file& target, const read_setup& setup, os::queue_kind kind)
      : file_{target}, setup_{setup}, kind_{kind}, slots_(setup.depth), ahead_{setup.depth} {}

  ~queued_reading() override {
    if (!queue_ || !queue_->is_ours()) return;
    drop_read_ahead();
    if (queue_) queue_->detach();
  }

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept override {
    if (std::exchange(in_use_, false)) pop();
    start(error);
    if (error) return {};
    if (degraded_ || offset % smallest_block != 0) return read_synchronously(offset, error);
    if (queued_ > 0 && slots_[first_].offset != offset) {
      drop_read_ahead();
      ahead_ = 1;
    }
    if (queued_ == 0) next_ = offset;
    read_ahead();
    if (queued_ == 0 && !failure_) return read_synchronously(offset, error);
    while (slots_[first_].busy) reap();
    error = failure_;
    return error ? std::span<std::byte>{} : hand_out(error);
  }

  void limit(std::uint64_t end) noexcept override { end_ = end; }

  // In the child of a fork there is nothing to wait for: start() drops it.
  void forget() noexcept override {
    if (std::exchange(in_use_, false)) pop();
    if (queue_ && queue_->is_ours()) drop_read_ahead();
  }

  std::string_view fallen_back_to() const noexcept override {
    return degraded_ ? direct_method.name : std::string_view{};
  }

 private:
  // One of `depth` blocks, and the read that fills it.
  struct queue_slot {
    block memory;
    const std::byte* registered = nullptr;  // the memory that was passed to use_memory()
    std::span<std::byte> bytes;
    std::uint64_t offset = 0;
    std::size_t length = 0;
    std::error_code error;
    bool busy = false;
  };

  void start(std::error_code& error) {
    error = failure_;
    if (error || degraded_) return;
    if (queue_ && queue_->is_ours()) return;
    if (queue_) forget_parent();
    uninterrupted(error, [&] { queue_ = os::queue_lease::take(kind_, setup_.depth, error); });
    if (!error) return queue_->attach(file_);
    if (setup_.strict && !is_shortage(error)) return fail(error);
    degraded_ = true;
    error.clear();
  }

  // Reads that were in flight when the process forked complete only in the parent; the child repeats them.
  void forget_parent() {
    queue_.discard();
    for (auto& each : slots_) each = {};
    queued_ = in_flight_ = 0;
  }

  // Keeps up to ahead_ blocks in flight; after a seek, at first only the one that is needed.
  void read_ahead() {
    std::error_code error = failure_;
    while (queued_ < ahead_ && (queued_ == 0 || next_ < end_) && !error)
      launch(slots_[(first_ + queued_) % slots_.size()], error);
    if (!error) ahead_ = std::min(2 * ahead_, setup_.depth);
  }

  // After an error, one block less is in flight; reading continues.
  void launch(queue_slot& slot, std::error_code& error) {
    const auto tag = static_cast<unsigned>(&slot - slots_.data());
    slot.memory = free_block();
    if (!slot.memory) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return;
    }
    if (std::exchange(slot.registered, slot.memory.data()) != slot.memory.data())
      queue_->use_memory(tag, slot.memory.bytes());
    uninterrupted(error, [&] { file_.set_direct(true, error); });
    const auto bytes = before_end(place_of(next_, slot.memory.bytes()), next_);
    if (!error) uninterrupted(error, [&] { queue_->submit_read(tag, bytes, next_, error); });
    if (error) return;
    slot.bytes = bytes;
    slot.offset = next_;
    slot.length = 0;
    slot.busy = true;
    ++queued_;
    ++in_flight_;
    next_ += bytes.size();
  }

  [[nodiscard]] std::span<std::byte> before_end(std::span<std::byte> bytes, std::uint64_t offset) const noexcept {
    return bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end_ - offset)));
  }

  // Returns the next slot's own block, another idle one, or a new one. When memory is short, a single block is reused.
  block free_block() {
    for (unsigned k = queued_; k < slots_.size(); ++k)
      if (auto& idle = slots_[(first_ + k) % slots_.size()].memory) return std::move(idle);
    return queued_ == 0 ? pool::take(setup_.block) : pool::try_take(setup_.block);
  }

  // Returns the first block, complete unless the file ends in it.
  std::span<const std::byte> hand_out(std::error_code& error) {
    auto& slot = slots_[first_];
    in_use_ = true;
    // The reads below also work where direct I/O does not.
    const bool repeat = may_be_repeated(slot.error) || slot.error == std::errc::invalid_argument;
    error = repeat ? std::error_code{} : slot.error;
    while (!error && slot.length < slot.bytes.size()) {
      const std::size_t more =
          read_some(file_, slot.bytes.subspan(slot.length), slot.offset + slot.length, pread_direct_once, error);
      if (more == 0) break;
      slot.length += more;
    }
    // The next call reports an error that lies beyond these bytes.
    if (slot.length > 0) error.clear();
    return slot.bytes.first(slot.length);
  }

  // Reads without the queue. Reads in flight stay there, because they may be needed next.
  std::span<const std::byte> read_synchronously(std::uint64_t offset, std::error_code& error) {
    if (!synchronous_block_) synchronous_block_ = pool::take(degraded_ ? setup_.block : smallest_block);
    if (!synchronous_block_) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    const auto into = before_end(place_of(offset, synchronous_block_.bytes()), offset);
    return into.first(read_some(file_, into, offset, pread_direct_once, error));
  }

  void pop() {
    first_ = (first_ + 1) % static_cast<unsigned>(slots_.size());
    --queued_;
  }

  void drop_read_ahead() {
    while (in_flight_ > 0) reap();
    queued_ = 0;
  }

  // Waits until one read ends.
  void reap() {
    std::error_code error;
    os::completion completion;
    patience left;
    do completion = queue_->wait(error);
    while (is_interruption(error) || (is_shortage(error) && left.wait()));
    if (error) return fail(error);
    auto& slot = slots_[completion.tag];
    slot.length = completion.transferred;
    slot.error = completion.error;
    slot.busy = false;
    --in_flight_;
  }

  // The reads in flight can no longer be tracked: the queue's destructor waits for them.
  void fail(std::error_code why) {
    failure_ = why;
    queue_.discard();
    for (auto& each : slots_) each.busy = false;
    queued_ = in_flight_ = 0;
  }

  os::file& file_;
  read_setup setup_;
  os::queue_kind kind_;
  os::queue_lease queue_;
  std::vector<queue_slot> slots_;
  unsigned first_ = 0;      // the slot that is read next
  unsigned queued_ = 0;     // slots from there on that contain blocks or are being filled
  unsigned in_flight_ = 0;  // of those, the ones that are being filled
  unsigned ahead_;          // how many may be queued
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();  // nothing is read from here on
  bool in_use_ = false;                                            // the caller is using the first one
  std::uint64_t next_ = 0;                                         // offset of the next read
  bool degraded_ = false;                                          // reads without a queue, because none was available
  block synchronous_block_;
  std::error_code failure_;
};

}  // namespace

std::unique_ptr<read_method> make_uring_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<queued_reading>(target, setup, os::queue_kind::uring);
}

std::unique_ptr<read_method> make_overlapped_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<queued_reading>(target, setup, os::queue_kind::overlapped);
}

}  // namespace freshet::detail

// Reading past the page cache by io_uring: blocks ahead of the reader are in flight while it takes the one before them.
#include <algorithm>
#include <utility>
#include <vector>

#include "src/method/read_method.hpp"
#include "src/method/transfer.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail {
namespace {

class queued_reading final : public read_method {
 public:
  queued_reading(os::file& target, const read_setup& setup)
      : file_{target}, setup_{setup}, slots_(setup.depth), ahead_{setup.depth} {}

  ~queued_reading() override {
    if (!queue_ || !queue_->is_ours()) return;
    give_up();
    if (queue_) queue_->detach();
  }

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) override {
    if (std::exchange(in_use_, false)) pop();
    start(error);
    if (error) return {};
    if (alone_ || offset % smallest_block != 0) return read_alone(offset, error);
    if (queued_ > 0 && slots_[first_].offset != offset) {
      give_up();
      ahead_ = 1;
    }
    if (queued_ == 0) next_ = offset;
    read_ahead();
    if (queued_ == 0 && !failure_) return read_alone(offset, error);
    while (slots_[first_].busy) reap();
    error = failure_;
    return error ? std::span<std::byte>{} : hand_out(error);
  }

  std::string_view fallen_back_to() const noexcept override { return alone_ ? "direct" : std::string_view{}; }

 private:
  // A block, and what it is being filled with.
  struct slot {
    block memory;
    const std::byte* known = nullptr;  // memory that the queue was told of
    std::span<std::byte> bytes;
    std::uint64_t offset = 0;
    std::size_t got = 0;
    std::error_code error;
    bool busy = false;
  };

  void start(std::error_code& error) {
    error = failure_;
    if (error || alone_) return;
    if (queue_ && queue_->is_ours()) return;
    if (queue_) forget_parent();
    uninterrupted(error, [&] { queue_ = os::queue_lease::take(os::queue_kind::uring, setup_.depth, error); });
    if (!error) return queue_->attach(file_);
    if (setup_.strict && !is_shortage(error)) return fail(error);
    alone_ = true;
    error.clear();
  }

  // What was in flight when a process forked comes to its parent only; the child reads it for itself.
  void forget_parent() {
    queue_.discard();
    for (auto& each : slots_) each = {};
    queued_ = in_flight_ = 0;
  }

  // Keeps up to ahead_ blocks in flight; after a seek at first only the one that is needed.
  void read_ahead() {
    std::error_code error = failure_;
    while (queued_ < ahead_ && !error) launch(slots_[(first_ + queued_) % slots_.size()], error);
    if (!error) ahead_ = std::min(2 * ahead_, setup_.depth);
  }

  // An error means that one block less is in flight, nothing worse.
  void launch(slot& here, std::error_code& error) {
    const auto tag = static_cast<unsigned>(&here - slots_.data());
    here.memory = free_block();
    if (!here.memory) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return;
    }
    if (std::exchange(here.known, here.memory.data()) != here.memory.data())
      queue_->use_memory(tag, here.memory.bytes());
    uninterrupted(error, [&] { file_.set_direct(true, error); });
    const auto bytes = place_of(next_, here.memory.bytes());
    if (!error) uninterrupted(error, [&] { queue_->submit_read(tag, bytes, next_, error); });
    if (error) return;
    here.bytes = bytes;
    here.offset = next_;
    here.got = 0;
    here.busy = true;
    ++queued_;
    ++in_flight_;
    next_ += bytes.size();
  }

  // The next slot's own block, another that is not needed at the moment, or a new one. Where memory is short, a single
  // block goes around.
  block free_block() {
    for (unsigned k = queued_; k < slots_.size(); ++k)
      if (auto& idle = slots_[(first_ + k) % slots_.size()].memory) return std::move(idle);
    return queued_ == 0 ? pool::take(setup_.block) : pool::try_take(setup_.block);
  }

  // The first block, complete unless the file ends in it.
  std::span<const std::byte> hand_out(std::error_code& error) {
    slot& here = slots_[first_];
    in_use_ = true;
    // What direct I/O will not do for this file, the attempts below do in another way.
    const bool again = may_be_repeated(here.error) || here.error == std::errc::invalid_argument;
    error = again ? std::error_code{} : here.error;
    while (!error && here.got < here.bytes.size()) {
      const std::size_t more =
          read_some(file_, here.bytes.subspan(here.got), here.offset + here.got, fetch_direct, error);
      if (more == 0) break;
      here.got += more;
    }
    // Of an error behind them the next call tells.
    if (here.got > 0) error.clear();
    return here.bytes.first(here.got);
  }

  // Without the queue. What is in flight stays there: it may still be what is read next.
  std::span<const std::byte> read_alone(std::uint64_t offset, std::error_code& error) {
    if (!alone_memory_) alone_memory_ = pool::take(alone_ ? setup_.block : smallest_block);
    if (!alone_memory_) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    const auto into = place_of(offset, alone_memory_.bytes());
    return into.first(read_some(file_, into, offset, fetch_direct, error));
  }

  void pop() {
    first_ = (first_ + 1) % static_cast<unsigned>(slots_.size());
    --queued_;
  }

  void give_up() {
    while (in_flight_ > 0) reap();
    queued_ = 0;
  }

  // Waits until one block has come, or will not.
  void reap() {
    std::error_code error;
    const auto done = queue_->wait(error);
    if (is_interruption(error)) return;
    if (error) return fail(error);
    slot& here = slots_[done.tag];
    here.got = done.transferred;
    here.error = done.error;
    here.busy = false;
    --in_flight_;
  }

  // What is in flight can no longer be followed: the queue's end waits for it.
  void fail(std::error_code why) {
    failure_ = why;
    queue_.discard();
    for (auto& each : slots_) each.busy = false;
    queued_ = in_flight_ = 0;
  }

  os::file& file_;
  read_setup setup_;
  os::queue_lease queue_;
  std::vector<slot> slots_;
  unsigned first_ = 0;      // the slot that comes next
  unsigned queued_ = 0;     // slots from there on that hold blocks, or will
  unsigned in_flight_ = 0;  // of those, the ones still on their way
  unsigned ahead_;          // how many may be queued
  bool in_use_ = false;     // the first one has been handed out
  std::uint64_t next_ = 0;  // where the next block to be launched begins
  bool alone_ = false;      // without a queue, which could not be had
  block alone_memory_;
  std::error_code failure_;
};

}  // namespace

std::unique_ptr<read_method> make_uring_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<queued_reading>(target, setup);
}

}  // namespace freshet::detail

// Blocks handed to the kernel, which writes them while the program fills the next: io_uring, libaio and POSIX aio
// differ in the queue only.
#include <algorithm>
#include <limits>
#include <vector>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail {
namespace {

class queued final : public method {
 public:
  queued(os::file& target, const method_setup& setup, os::queue_kind kind, bool direct)
      : file_{target}, setup_{setup}, kind_{kind}, direct_{direct}, slots_(setup.depth), end_{setup.start} {}

  block exchange(full_block full, std::error_code& error) override {
    start(error);
    if (error) return {};
    if (alone_) {
      write_alone(full.bytes(), error);
      return next_block(std::move(full.memory), error);
    }
    const auto parts = direct_ ? split_aligned(full.bytes(), full.offset) : aligned_parts{{}, full.bytes(), {}};
    if (!parts.head.empty()) write_alone(parts.head, error);
    if (!error && !parts.middle.empty()) submit(full.memory, parts.middle, error);
    if (!error && !parts.tail.empty()) write_alone(parts.tail, error);
    if (!error && setup_.each_write) wait_for_all(error);
    if (error) return {};
    return next_block(std::move(full.memory), error);
  }

  // Spares the copy into a block. The caller's memory is its own again afterwards, so nothing of it stays in flight:
  // with pieces this large, one at a time is as fast as several.
  bool write_through(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    error.clear();
    if (!direct_ || !is_aligned(bytes, offset)) return false;
    start(error);
    if (error) return true;
    if (alone_) {
      write_alone(bytes, error);
      return true;
    }
    while (!bytes.empty() && !error) {
      const auto piece = bytes.first(std::min(bytes.size(), largest_block));
      launch(piece, error);
      wait_for_all(error);
      bytes = bytes.subspan(piece.size());
    }
    return true;
  }

  void drain(std::error_code& error) override {
    wait_for_all(error);
    if (error || ahead_ == 0) return;
    // A size set before a fork is the parent's to correct.
    if (!queue_->is_ours()) return lose_track(std::make_error_code(std::errc::owner_dead), error);
    uninterrupted(error, [&] { file_.set_size(end_, error); });
    if (error) fail(error, end_, error);
    ahead_ = 0;
  }

  std::uint64_t completed() const noexcept override {
    std::uint64_t prefix = std::min(end_, failed_at_);
    for (const auto& each : slots_)
      if (each.busy) prefix = std::min(prefix, each.offset);
    return prefix;
  }

  std::string_view fallen_back_to() const noexcept override {
    if (!alone_) return {};
    return direct_ ? "direct" : "buffered";
  }

  ~queued() override {
    if (queue_ && queue_->is_ours()) queue_->detach();
  }

 private:
  // A block's place: its memory, and where it goes while it is in flight.
  struct slot {
    block memory;
    const std::byte* known = nullptr;  // memory that the queue was told of
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;
    bool busy = false;
  };

  static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

  void start(std::error_code& error) {
    error = failure_;
    if (error || alone_) return;
    const bool forked = static_cast<bool>(queue_);
    if (queue_) {
      if (queue_->is_ours()) return;
      if (in_flight_ > 0 || ahead_ > 0) return lose_track(std::make_error_code(std::errc::owner_dead), error);
      for (auto& each : slots_) each.known = nullptr;
    }
    uninterrupted(error, [&] { queue_ = os::queue_lease::take(kind_, setup_.depth, error); });
    // POSIX aio has no threads in the child of a fork.
    if (error && (forked || !setup_.strict || is_shortage(error))) {
      alone_ = true;
      return error.clear();
    }
    if (!error && direct_) uninterrupted(error, [&] { file_.set_direct(true, error); });
    if (error) return fail(error, end_, error);
    queue_->attach(file_);
  }

  void submit(block& memory, std::span<const std::byte> bytes, std::error_code& error) {
    slot& here = slots_[hand_];
    if (here.known != memory.data()) {
      queue_->use_memory(hand_, memory.bytes());
      here.known = memory.data();
    }
    launch(bytes, error);
    // In its slot it stays alive for the kernel whatever happens to the writer.
    if (!error) here.memory = std::move(memory);
  }

  void launch(std::span<const std::byte> bytes, std::error_code& error) {
    if (setup_.ordered) wait_for_all(error);
    if (!error && setup_.size_ahead) set_size_ahead(end_ + bytes.size(), error);
    if (!error && direct_) uninterrupted(error, [&] { file_.set_direct(true, error); });
    if (error) return fail(error, end_, error);
    uninterrupted(error, [&] { queue_->submit(hand_, bytes, end_, error); });
    if (error) return fail(error, end_, error);
    slot& here = slots_[hand_];
    here.bytes = bytes;
    here.offset = end_;
    here.busy = true;
    ++in_flight_;
    end_ += bytes.size();
  }

  // What cannot go through the queue: pieces too small for direct I/O. They wait for all before them.
  void write_alone(std::span<const std::byte> bytes, std::error_code& error) {
    wait_for_all(error);
    if (!error) finish(bytes, end_, error);
    if (!error) end_ += bytes.size();
  }

  // Writes `bytes` while nothing else is in flight.
  void finish(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) {
    const std::size_t written = write_all(file_, bytes, offset, direct_ ? attempt_direct : attempt_at, error);
    if (error) fail(error, offset + written, error);
    if (error) end_ = std::max(end_, offset + written);
  }

  // An empty block: the one just used, if it did not stay in flight, an idle one, a new one, or the first to come back.
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
    hand_ = k;
    return std::move(slots_[k].memory);
  }

  block new_block() {
    const auto empty = std::ranges::find_if(slots_, [](const slot& each) { return !each.busy && !each.memory; });
    if (empty == slots_.end()) return {};
    auto fresh = pool::try_take(slots_[hand_].memory.size());
    if (fresh) hand_ = static_cast<unsigned>(empty - slots_.begin());
    return fresh;
  }

  // After an error, too: whoever repairs the file's length needs it to hold still.
  void wait_for_all(std::error_code& error) {
    while (in_flight_ > 0) reap();
    error = failure_;
  }

  // Waits for one write; finishes it where it was cut short.
  void reap() {
    std::error_code error;
    if (!queue_->is_ours()) return lose_track(std::make_error_code(std::errc::owner_dead), error);
    const auto done = queue_->wait(error);
    if (is_interruption(error)) return;
    if (error) return lose_track(error, error);
    slot& which = slots_[done.tag];
    --in_flight_;
    which.offset += done.transferred;
    which.bytes = which.bytes.subspan(done.transferred);
    if (done.error && !may_be_repeated(done.error))
      fail(done.error, which.offset, error);
    else if (!which.bytes.empty())
      finish_later(which);
    which.busy = false;
  }

  // The rest may be unaligned, and so has to wait until the direct writes in flight are over.
  void finish_later(const slot& which) {
    std::error_code error;
    wait_for_all(error);
    if (error)
      fail(error, which.offset, error);
    else
      finish(which.bytes, which.offset, error);
  }

  // What is in flight can no longer be followed. The queue's end waits for it, unless it is the parent process's.
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
    // Even where it fails, it may have.
    ahead_ = goal;
    uninterrupted(error, [&] { file_.set_size(goal, error); });
  }

  os::file& file_;
  method_setup setup_;
  os::queue_kind kind_;
  bool direct_;
  bool alone_ = false;  // without a queue, which could not be had
  os::queue_lease queue_;
  std::vector<slot> slots_;
  unsigned hand_ = 0;  // the slot whose block the writer fills
  unsigned in_flight_ = 0;
  std::uint64_t end_;  // where the next block goes
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

std::unique_ptr<method> make_aio(os::file& target, const method_setup& setup) {
  return std::make_unique<queued>(target, setup, os::queue_kind::posix_aio, false);
}

}  // namespace freshet::detail

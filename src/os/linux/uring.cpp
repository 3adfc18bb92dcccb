// Queues over io_uring. A writer may move between threads, so a ring is not tied to one (no
// IORING_SETUP_SINGLE_ISSUER), nor do completions wait for the thread that submitted to enter the kernel again (no
// IORING_SETUP_COOP_TASKRUN).
#include <liburing.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

std::error_code error_of(int result) noexcept { return {-result, std::system_category()}; }

bool lies_in(std::span<const std::byte> bytes, std::span<const std::byte> memory) noexcept {
  return !memory.empty() && bytes.data() >= memory.data() &&
         bytes.data() + bytes.size() <= memory.data() + memory.size();
}

// The number of rings. Changing it orders the use of a ring before the use of a later one in the same memory: the
// thread sanitizer does not see that liburing unmaps and maps that memory.
std::atomic<unsigned> rings = 0;

class uring_queue final : public queue {
 public:
  uring_queue(unsigned depth, std::error_code& error) : memory_(depth), refused_{depth} {
    const int result = ::io_uring_queue_init(depth, &ring_, 0);
    if (result < 0) {
      error = error_of(result);
      return;
    }
    // A filter of system calls may let a ring be made and not used.
    if (::syscall(SYS_io_uring_enter, ring_.ring_fd, 0U, 0U, 0U, nullptr, std::size_t{0}) < 0) {
      error = last_error();
      ::io_uring_queue_exit(&ring_);
      return;
    }
    is_open_ = true;
    rings.fetch_add(1, std::memory_order_acq_rel);
    // Registers empty tables for attach() and use_memory(), because changing an entry is cheaper than registering a
    // table. They are optional: kernels before 5.19 do not have them.
    const int no_file = -1;
    has_file_table_ = ::io_uring_register_files(&ring_, &no_file, 1) == 0;
    has_memory_table_ = ::io_uring_register_buffers_sparse(&ring_, depth) == 0;
  }

  ~uring_queue() override {
    // In the child of a fork the ring belongs to the parent; it stays mapped until the child ends.
    if (!is_open_ || !is_ours()) return;
    // The kernel reads the blocks until the last write has ended, and closing the ring would not wait for that.
    while (in_flight_ != 0) {
      io_uring_cqe* ended = nullptr;
      const int result = ::io_uring_wait_cqe(&ring_, &ended);
      if (result == -EINTR || result == -EAGAIN) continue;
      if (result < 0) break;
      ::io_uring_cqe_seen(&ring_, ended);
      --in_flight_;
    }
    rings.fetch_sub(1, std::memory_order_acq_rel);
    ::io_uring_queue_exit(&ring_);
  }

  [[nodiscard]] unsigned depth() const noexcept override { return static_cast<unsigned>(memory_.size()); }

  void attach(const file& target) noexcept override {
    descriptor_ = target.descriptor();
    is_file_registered_ = has_file_table_ && !ask_about(call::register_file, descriptor_) && set_file(descriptor_);
  }

  void detach() noexcept override {
    // A registered file would stay open, and its space allocated, after it is closed.
    if (is_file_registered_) set_file(-1);
    is_file_registered_ = false;
    descriptor_ = -1;
    for (unsigned tag = 0; tag < depth(); ++tag) forget_memory(tag);
  }

  void use_memory(unsigned tag, std::span<std::byte> memory) noexcept override {
    if (memory_[tag].data() == memory.data() && memory_[tag].size() == memory.size()) return;
    forget_memory(tag);
    intercepted_call next{call::register_buffers, descriptor_, 0, memory.size()};
    if (!has_memory_table_ || ask_interceptor(next)) return;
    if (set_memory(tag, memory)) memory_[tag] = memory;
  }

  void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
              std::error_code& error) noexcept override {
    if (!start(call::submit_write, tag, bytes, offset, error)) return;
    count_submitted_write();
    // A write that extends the file is done by a kernel thread, which would wait for this processor, even if others are
    // idle, until the program has filled its next block and waits.
    ::sched_yield();
  }

  void submit_read(unsigned tag, std::span<std::byte> bytes, std::uint64_t offset,
                   std::error_code& error) noexcept override {
    start(call::submit_read, tag, bytes, offset, error);
  }

  // A signal ends the wait with EINTR; the caller decides whether to wait again.
  completion wait(std::error_code& error) noexcept override {
    error = ask_about(call::wait, descriptor_);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    io_uring_cqe* ended = nullptr;
    const int waited = ::io_uring_wait_cqe(&ring_, &ended);
    if (waited < 0) {
      error = error_of(waited);
      return {};
    }
    completion result{static_cast<unsigned>(::io_uring_cqe_get_data64(ended)), 0, {}};
    if (ended->res < 0)
      result.error = error_of(ended->res);
    else
      result.transferred = static_cast<std::size_t>(ended->res);
    ::io_uring_cqe_seen(&ring_, ended);
    --in_flight_;
    return result;
  }

 private:
  // Returns whether the kernel accepted the request. One that the interceptor refuses ends later with its error.
  bool start(call kind, unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
             std::error_code& error) noexcept {
    error.clear();
    const auto accepted = refused_.ask(kind, descriptor_, tag, bytes, offset);
    if (!accepted) return false;
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr) {
      error = std::make_error_code(std::errc::resource_unavailable_try_again);
      return false;
    }
    fill(*entry, kind, tag, *accepted, offset);
    intercepted_call next{call::submit, descriptor_, offset, accepted->size()};
    error = ask_interceptor(next);
    const int result = error ? 0 : ::io_uring_submit(&ring_);
    if (result < 0) error = error_of(result);
    if (result <= 0) take_back();
    if (result == 0 && !error) error = std::make_error_code(std::errc::resource_unavailable_try_again);
    if (error) return false;
    ++in_flight_;
    return true;
  }

  void fill(io_uring_sqe& entry, call kind, unsigned tag, std::span<const std::byte> bytes,
            std::uint64_t offset) noexcept {
    const bool reads = kind == call::submit_read;
    const bool fixed = lies_in(bytes, memory_[tag]);
    const int operation =
        reads ? (fixed ? IORING_OP_READ_FIXED : IORING_OP_READ) : (fixed ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE);
    ::io_uring_prep_rw(operation, &entry, is_file_registered_ ? 0 : descriptor_, bytes.data(),
                       static_cast<unsigned>(bytes.size()), offset);
    if (fixed) entry.buf_index = static_cast<std::uint16_t>(tag);
    if (is_file_registered_) ::io_uring_sqe_set_flags(&entry, IOSQE_FIXED_FILE);
    ::io_uring_sqe_set_data64(&entry, tag);
  }

  // Removes the last entry, which the kernel did not accept, so that a later submit() does not start it. The kernel
  // reads the tail only during io_uring_submit().
  void take_back() noexcept {
    io_uring_sq& entries = ring_.sq;
    --entries.sqe_tail;
    entries.sqe_head = entries.sqe_tail;
    *entries.ktail = entries.sqe_tail;
  }

  bool set_file(int descriptor) noexcept { return ::io_uring_register_files_update(&ring_, 0, &descriptor, 1) == 1; }

  bool set_memory(unsigned tag, std::span<std::byte> memory) noexcept {
    const iovec piece{memory.data(), memory.size()};
    const __u64 no_notice = 0;
    return ::io_uring_register_buffers_update_tag(&ring_, tag, &piece, &no_notice, 1) == 1;
  }

  void forget_memory(unsigned tag) noexcept {
    if (memory_[tag].empty()) return;
    set_memory(tag, {});
    memory_[tag] = {};
  }

  io_uring ring_{};
  bool is_open_ = false;
  bool has_file_table_ = false;
  bool has_memory_table_ = false;
  bool is_file_registered_ = false;
  int descriptor_ = -1;
  unsigned in_flight_ = 0;                    // according to the kernel
  std::vector<std::span<std::byte>> memory_;  // registered memory, by tag
  refused_transfers refused_;
};

}  // namespace

bool has_uring() noexcept { return true; }

std::unique_ptr<queue> make_uring(unsigned depth, std::error_code& error) {
  auto queue = std::make_unique<uring_queue>(depth, error);
  return error ? nullptr : std::move(queue);
}

}  // namespace freshet::detail::os

// Queues of POSIX aio, which glibc implements with its own threads, one request at a time for each file.
#include <aio.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/fork.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

// The C library's threads start with the first write. They do not survive a fork, which the library does not notice:
// the child of a process that has used them would wait forever.
constexpr unsigned never = std::numeric_limits<unsigned>::max();
std::atomic<unsigned> threads_started_in{never};

void note_threads() noexcept {
  unsigned expected = never;
  threads_started_in.compare_exchange_strong(expected, fork_generation());
}

bool threads_are_gone() noexcept {
  const unsigned started = threads_started_in.load();
  return started != never && started != fork_generation();
}

class posix_aio_queue final : public unregistered_queue {
 public:
  explicit posix_aio_queue(unsigned depth) : unregistered_queue{depth}, requests_(depth), in_flight_(depth, nullptr) {}

  ~posix_aio_queue() override {
    // The threads read the blocks until the last write has ended; the child of a fork has no such threads.
    if (!is_ours()) return;
    for (const aiocb* const request : in_flight_) {
      if (request == nullptr) continue;
      while (::aio_error(request) == EINPROGRESS) ::aio_suspend(&request, 1, nullptr);
    }
  }

  // A signal ends the wait with EINTR; the caller decides whether to wait again.
  completion wait(std::error_code& error) noexcept override {
    error = ask_about(call::wait, descriptor_);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    for (;;) {
      if (::aio_suspend(in_flight_.data(), static_cast<int>(in_flight_.size()), nullptr) < 0) {
        error = last_error();
        return {};
      }
      for (unsigned tag = 0; tag < depth(); ++tag)
        if (in_flight_[tag] != nullptr && ::aio_error(in_flight_[tag]) != EINPROGRESS) return take(tag);
    }
  }

 private:
  void start(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
             std::error_code& error) noexcept override {
    aiocb& request = requests_[tag];
    request = {};
    request.aio_fildes = descriptor_;
    request.aio_buf = const_cast<std::byte*>(bytes.data());
    request.aio_nbytes = bytes.size();
    request.aio_offset = static_cast<off_t>(offset);
    request.aio_sigevent.sigev_notify = SIGEV_NONE;
    note_threads();
    make_call({call::submit, descriptor_, offset, bytes.size()}, error,
              [&](std::size_t) { return ::aio_write(&request); });
    if (!error) in_flight_[tag] = &request;
  }

  completion take(unsigned tag) noexcept {
    in_flight_[tag] = nullptr;
    const int failed = ::aio_error(&requests_[tag]);
    const ssize_t moved = ::aio_return(&requests_[tag]);
    if (failed != 0) return {tag, 0, {failed, std::system_category()}};
    return {tag, static_cast<std::size_t>(moved), {}};
  }

  std::vector<aiocb> requests_;          // by tag
  std::vector<const aiocb*> in_flight_;  // by tag; null for those not in flight, as aio_suspend() expects
};

}  // namespace

std::unique_ptr<queue> make_posix_aio(unsigned depth, std::error_code& error) {
  if (threads_are_gone()) {
    error = std::make_error_code(std::errc::function_not_supported);
    return nullptr;
  }
  return std::make_unique<posix_aio_queue>(depth);
}

}  // namespace freshet::detail::os

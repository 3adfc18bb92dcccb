// Queues over POSIX aio, which glibc works off with threads of its own: one at a time for each file.
#include <aio.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/system_call.hpp"

namespace freshet::detail::os {
namespace {

// The C library's threads do not survive a fork, and it does not notice: the child of a process that has used them
// would wait for ever. They start with the first write.
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

class posix_aio_queue final : public queue {
 public:
  explicit posix_aio_queue(unsigned depth) : requests_(depth), in_flight_(depth, nullptr), refused_{depth} {}

  ~posix_aio_queue() override {
    // The threads read memory until the last write has ended; the child of a fork has none of them.
    if (!is_ours()) return;
    for (const aiocb* const request : in_flight_) {
      if (request == nullptr) continue;
      while (::aio_error(request) == EINPROGRESS) ::aio_suspend(&request, 1, nullptr);
    }
  }

  [[nodiscard]] unsigned depth() const noexcept override { return static_cast<unsigned>(requests_.size()); }
  void attach(const file& target) noexcept override { descriptor_ = target.descriptor(); }
  void detach() noexcept override { descriptor_ = -1; }
  void use_memory(unsigned /*tag*/, std::span<std::byte> /*memory*/) noexcept override {}

  void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
              std::error_code& error) noexcept override {
    error.clear();
    const auto accepted = refused_.ask(call::submit_write, descriptor_, tag, bytes, offset);
    if (!accepted) return;
    aiocb& request = requests_[tag];
    request = {};
    request.aio_fildes = descriptor_;
    request.aio_buf = const_cast<std::byte*>(accepted->data());
    request.aio_nbytes = accepted->size();
    request.aio_offset = static_cast<off_t>(offset);
    request.aio_sigevent.sigev_notify = SIGEV_NONE;
    note_threads();
    make_call({call::submit, descriptor_, offset, accepted->size()}, error,
              [&](std::size_t) { return ::aio_write(&request); });
    if (!error) in_flight_[tag] = &request;
  }

  // A signal ends the wait with EINTR; whether to wait again is the caller's policy.
  completion wait(std::error_code& error) noexcept override {
    error = ask_about(call::wait, descriptor_);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    for (;;) {
      if (::aio_suspend(in_flight_.data(), static_cast<int>(in_flight_.size()), nullptr) < 0) {
        error = last_error();
        return {};
      }
      for (unsigned tag = 0; tag < depth(); ++tag) {
        if (in_flight_[tag] != nullptr && ::aio_error(in_flight_[tag]) != EINPROGRESS) return take(tag);
      }
    }
  }

 private:
  completion take(unsigned tag) noexcept {
    in_flight_[tag] = nullptr;
    const int failed = ::aio_error(&requests_[tag]);
    const ssize_t moved = ::aio_return(&requests_[tag]);
    if (failed != 0) return {tag, 0, {failed, std::system_category()}};
    return {tag, static_cast<std::size_t>(moved), {}};
  }

  int descriptor_ = -1;
  std::vector<aiocb> requests_;          // by tag
  std::vector<const aiocb*> in_flight_;  // by tag; null where nothing is, as aio_suspend() likes it
  refused_transfers refused_;
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

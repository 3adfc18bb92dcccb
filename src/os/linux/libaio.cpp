// Queues of the kernel's older asynchronous I/O. They are asynchronous only with O_DIRECT, but often available where
// io_uring is not allowed.
#include <libaio.h>

#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

std::error_code error_of(long result) noexcept { return {static_cast<int>(-result), std::system_category()}; }

class libaio_queue final : public unregistered_queue {
 public:
  libaio_queue(unsigned depth, std::error_code& error) : unregistered_queue{depth}, requests_(depth) {
    int result = ::io_setup(static_cast<int>(depth), &context_);
    // A filter of system calls may let a context be made and not used.
    if (result >= 0) result = ::io_submit(context_, 0, nullptr);
    if (result >= 0) result = ::io_getevents(context_, 0, 0, nullptr, nullptr);
    if (result < 0) error = error_of(result);
  }

  ~libaio_queue() override {
    // Waits for the writes in flight. In the child of a fork the number is invalid, or names another context.
    if (context_ != nullptr && is_ours()) ::io_destroy(context_);
  }

  // A signal ends the wait with EINTR; the caller decides whether to wait again.
  completion wait(std::error_code& error) noexcept override {
    error = ask_about(call::wait, descriptor_);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    io_event ended{};
    const int count = ::io_getevents(context_, 1, 1, &ended, nullptr);
    if (count != 1) {
      error = count < 0 ? error_of(count) : std::make_error_code(std::errc::interrupted);
      return {};
    }
    completion result{static_cast<unsigned>(ended.obj - requests_.data()), 0, {}};
    const auto moved = static_cast<long>(ended.res);
    if (moved < 0)
      result.error = error_of(moved);
    else
      result.transferred = static_cast<std::size_t>(moved);
    return result;
  }

 private:
  void start(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
             std::error_code& error) noexcept override {
    intercepted_call next{call::submit, descriptor_, offset, bytes.size()};
    error = ask_interceptor(next);
    if (error) return;
    iocb& request = requests_[tag];
    ::io_prep_pwrite(&request, descriptor_, const_cast<std::byte*>(bytes.data()), bytes.size(),
                     static_cast<long long>(offset));
    iocb* const list = &request;
    const int result = ::io_submit(context_, 1, const_cast<iocb**>(&list));
    if (result < 0) error = error_of(result);
    if (result == 0) error = std::make_error_code(std::errc::resource_unavailable_try_again);
    if (!error) count_submitted_write();
  }

  io_context_t context_ = nullptr;
  std::vector<iocb> requests_;  // by tag
};

}  // namespace

bool has_libaio() noexcept { return true; }

std::unique_ptr<queue> make_libaio(unsigned depth, std::error_code& error) {
  auto queue = std::make_unique<libaio_queue>(depth, error);
  return error ? nullptr : std::move(queue);
}

}  // namespace freshet::detail::os

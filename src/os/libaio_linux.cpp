// Queues over the kernel's older asynchronous I/O: asynchronous with O_DIRECT only, but present where io_uring is not
// allowed.
#include <libaio.h>

#include <vector>

#include "src/os/file.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/system_call.hpp"

namespace freshet::detail::os {
namespace {

std::error_code error_of(long result) noexcept { return {static_cast<int>(-result), std::system_category()}; }

class libaio_queue final : public queue {
 public:
  libaio_queue(unsigned depth, std::error_code& error) : requests_(depth), refused_{depth} {
    const int result = ::io_setup(static_cast<int>(depth), &context_);
    if (result < 0) error = error_of(result);
  }

  ~libaio_queue() override {
    // Waits for the writes in flight. The child of a fork has no context: its number names nothing, or another's.
    if (context_ != nullptr && is_ours()) ::io_destroy(context_);
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
    intercepted_call next{call::submit, descriptor_, offset, accepted->size()};
    error = ask_interceptor(next);
    if (error) return;
    iocb& request = requests_[tag];
    ::io_prep_pwrite(&request, descriptor_, const_cast<std::byte*>(accepted->data()), accepted->size(),
                     static_cast<long long>(offset));
    iocb* const list = &request;
    const int result = ::io_submit(context_, 1, const_cast<iocb**>(&list));
    if (result < 0) error = error_of(result);
    if (result == 0) error = std::make_error_code(std::errc::resource_unavailable_try_again);
    if (!error) count_submitted_write();
  }

  // A signal ends the wait with EINTR; whether to wait again is the caller's policy.
  completion wait(std::error_code& error) noexcept override {
    error = ask_about(call::wait, descriptor_);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    io_event ended{};
    const int result = ::io_getevents(context_, 1, 1, &ended, nullptr);
    if (result != 1) {
      error = result < 0 ? error_of(result) : std::make_error_code(std::errc::interrupted);
      return {};
    }
    completion found{static_cast<unsigned>(ended.obj - requests_.data()), 0, {}};
    const auto moved = static_cast<long>(ended.res);
    if (moved < 0) {
      found.error = error_of(moved);
    } else {
      found.transferred = static_cast<std::size_t>(moved);
    }
    return found;
  }

 private:
  io_context_t context_ = nullptr;
  int descriptor_ = -1;
  std::vector<iocb> requests_;  // by tag
  refused_transfers refused_;
};

}  // namespace

bool has_libaio() noexcept { return true; }

std::unique_ptr<queue> make_libaio(unsigned depth, std::error_code& error) {
  auto made = std::make_unique<libaio_queue>(depth, error);
  return error ? nullptr : std::move(made);
}

}  // namespace freshet::detail::os

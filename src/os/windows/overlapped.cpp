// Queues by overlapped transfers that end at an I/O completion port.
#include <algorithm>
#include <vector>

#include "src/os/queue_kinds.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

// The completion port belongs to the queue. The file is opened once more for it, because only transfers of a handle
// that was opened for that overlap; past the cache if the file passes by it when it is attached.
class overlapped_queue final : public queue {
 public:
  overlapped_queue(unsigned depth, owned_handle port) : port_{std::move(port)}, refused_{depth}, transfers_(depth) {}

  ~overlapped_queue() override {
    if (in_flight_ == 0) return;
    ::CancelIoEx(file_.get(), nullptr);
    std::error_code ignored;
    while (in_flight_ > 0 && !ignored) take(ignored);
  }

  [[nodiscard]] unsigned depth() const noexcept override { return static_cast<unsigned>(transfers_.size()); }

  void attach(const file& target) noexcept override { target_ = &target; }

  void detach() noexcept override {
    file_ = owned_handle{};
    target_ = nullptr;
  }

  void use_memory(unsigned /*tag*/, std::span<std::byte> /*memory*/) noexcept override {}

  void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
              std::error_code& error) noexcept override {
    start(call::submit_write, tag, bytes, offset, error, [](HANDLE to, std::span<const std::byte> from, transfer& way) {
      return ::WriteFile(to, from.data(), static_cast<DWORD>(from.size()), nullptr, &way);
    });
    if (!error) count_submitted_write();
  }

  void submit_read(unsigned tag, std::span<std::byte> bytes, std::uint64_t offset,
                   std::error_code& error) noexcept override {
    start(
        call::submit_read, tag, bytes, offset, error, [](HANDLE from, std::span<const std::byte> into, transfer& way) {
          return ::ReadFile(from, const_cast<std::byte*>(into.data()), static_cast<DWORD>(into.size()), nullptr, &way);
        });
  }

  completion wait(std::error_code& error) noexcept override {
    intercepted_call next{call::wait, file_.get(), 0, 0};
    error = ask_interceptor(next);
    if (error) return {};
    if (const auto refused = refused_.take()) return *refused;
    return take(error);
  }

 private:
  struct transfer : OVERLAPPED {};

  template <typename Start>
  void start(call kind, unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error,
             Start make) noexcept {
    open(error);
    if (error) return;
    const auto accepted = refused_.ask(kind, file_.get(), tag, bytes, offset);
    if (!accepted) return;
    transfer& way = transfers_[tag];
    way = {};
    way.Offset = static_cast<DWORD>(offset);
    way.OffsetHigh = static_cast<DWORD>(offset >> 32);
    make_call({call::submit, file_.get(), offset, accepted->size()}, error, [&](std::size_t) {
      if (make(file_.get(), *accepted, way) != 0) return std::error_code{};  // it reaches the port as well
      const DWORD number = ::GetLastError();
      if (number == ERROR_IO_PENDING) return std::error_code{};
      if (number != ERROR_HANDLE_EOF) return to_error(number);
      return error_unless(::PostQueuedCompletionStatus(port_.get(), 0, 0, &way));  // the end of the file: no bytes
    });
    if (!error) ++in_flight_;
  }

  void open(std::error_code& error) noexcept {
    error.clear();
    if (file_) return;
    file_ = open_again(target_->descriptor(), target_->is_direct() ? FILE_NO_INTERMEDIATE_BUFFERING : 0, error);
    if (!error && ::CreateIoCompletionPort(file_.get(), port_.get(), 0, 0) == nullptr) error = last_error();
    if (error) file_ = owned_handle{};
  }

  completion take(std::error_code& error) noexcept {
    DWORD moved = 0;
    ULONG_PTR key = 0;
    OVERLAPPED* ended = nullptr;
    const bool succeeded = ::GetQueuedCompletionStatus(port_.get(), &moved, &key, &ended, INFINITE) != 0;
    const DWORD number = succeeded ? NO_ERROR : ::GetLastError();
    error = ended == nullptr ? to_error(number) : std::error_code{};
    if (error) return {};
    --in_flight_;
    const auto tag = static_cast<unsigned>(static_cast<transfer*>(ended) - transfers_.data());
    const bool failed = number != NO_ERROR && number != ERROR_HANDLE_EOF;
    return {tag, moved, failed ? to_error(number) : std::error_code{}};
  }

  owned_handle port_;
  const file* target_ = nullptr;
  owned_handle file_;
  refused_transfers refused_;
  std::vector<transfer> transfers_;  // by tag
  unsigned in_flight_ = 0;
};

}  // namespace

std::unique_ptr<queue> make_overlapped(unsigned depth, std::error_code& error) {
  owned_handle port{::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1)};
  if (!port) error = last_error();
  return error ? nullptr : std::make_unique<overlapped_queue>(depth, std::move(port));
}

}  // namespace freshet::detail::os

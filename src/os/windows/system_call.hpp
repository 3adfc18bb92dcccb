// How the sources of the seam on Windows make system calls: through the interceptor.
#pragma once

#include <cstddef>
#include <system_error>
#include <utility>

#include "src/os/interceptor.hpp"
#include "src/os/windows/native.hpp"

namespace freshet::detail::os {

/// An error of Win32, as one of std::errc where the standard library does not find the right one.
[[nodiscard]] std::error_code to_error(DWORD number) noexcept;
/// An error of the calls below Win32; none for success.
[[nodiscard]] std::error_code status_error(NTSTATUS status) noexcept;

[[nodiscard]] inline std::error_code last_error() noexcept { return to_error(::GetLastError()); }
/// For calls that tell only by their result whether they succeeded.
[[nodiscard]] inline std::error_code error_unless(BOOL succeeded) noexcept {
  return succeeded != 0 ? std::error_code{} : last_error();
}

/// Makes one call, which returns its error. `make` is passed the length that the interceptor left. Returns whether it
/// was made and succeeded.
template <class Make>
bool make_call(intercepted_call next, std::error_code& error, Make make) noexcept {
  error = ask_interceptor(next);
  if (!error) error = make(next.length);
  return !error;
}

/// Owns a handle.
class owned_handle {
 public:
  owned_handle() noexcept = default;
  explicit owned_handle(HANDLE handle) noexcept : handle_{handle} {}
  owned_handle(owned_handle&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  owned_handle& operator=(owned_handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  owned_handle(const owned_handle&) = delete;
  owned_handle& operator=(const owned_handle&) = delete;
  ~owned_handle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }

  [[nodiscard]] HANDLE get() const noexcept { return handle_; }
  [[nodiscard]] HANDLE release() noexcept { return std::exchange(handle_, nullptr); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  HANDLE handle_ = nullptr;
};

}  // namespace freshet::detail::os

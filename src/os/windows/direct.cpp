// The seam by Windows: past its cache (FILE_FLAG_NO_BUFFERING). An open handle cannot be changed, so a second one is
// opened.
#include <utility>

#include "src/os/file.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {

direct_handle::direct_handle(direct_handle&& other) noexcept
    : handle_{std::exchange(other.handle_, no_native_handle)}, in_use_{std::exchange(other.in_use_, false)} {}

direct_handle& direct_handle::operator=(direct_handle&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(in_use_, other.in_use_);
  return *this;
}

void direct_handle::close() noexcept {
  in_use_ = false;
  if (handle_ != no_native_handle) ::CloseHandle(std::exchange(handle_, no_native_handle));
}

void file::set_direct(bool on, std::error_code& error) noexcept {
  error.clear();
  if (on == static_cast<bool>(direct_)) return;
  make_call({call::set_direct, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    if (on && direct_.get() == no_native_handle)
      direct_.set(open_again(descriptor_, FILE_NO_INTERMEDIATE_BUFFERING | one_at_a_time, failure).release());
    return failure;
  });
  if (!error) direct_.use(on);
}

std::optional<direct_limits> file::direct_alignment() const noexcept {
  intercepted_call next{call::status, descriptor_, 0, 0};
  if (ask_interceptor(next)) return std::nullopt;
  struct {
    LARGE_INTEGER total, available;
    ULONG sectors_per_unit, bytes_per_sector;
  } size{};
  IO_STATUS_BLOCK outcome{};
  const NTSTATUS status = ::NtQueryVolumeInformationFile(
      descriptor_, &outcome, &size, sizeof size, static_cast<FS_INFORMATION_CLASS>(nt::volume_size_information));
  if (status < 0 || size.bytes_per_sector == 0) return std::nullopt;
  return direct_limits{size.bytes_per_sector, size.bytes_per_sector};
}

}  // namespace freshet::detail::os

// The seam by Windows: space for bytes to come. SetFileValidData() would show what others left on the device.
#include "src/os/file.hpp"
#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {
namespace {

std::error_code allocate(HANDLE handle, std::uint64_t size) noexcept {
  FILE_ALLOCATION_INFO space{};
  space.AllocationSize.QuadPart = static_cast<LONGLONG>(size);
  return error_unless(::SetFileInformationByHandle(handle, FileAllocationInfo, &space, sizeof space));
}

}  // namespace

// To allocate less than a file has would cut it.
void file::preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::preallocate, descriptor_, offset, length}, error, [&](std::size_t) {
    LARGE_INTEGER size{};
    if (::GetFileSizeEx(descriptor_, &size) == 0) return last_error();
    if (offset + length <= static_cast<std::uint64_t>(size.QuadPart)) return std::error_code{};
    return allocate(descriptor_, offset + length);
  });
}

void file::free_preallocation(std::uint64_t size, std::error_code& error) noexcept {
  make_call({call::free_preallocation, descriptor_, size, 0}, error, [&](std::size_t) {
    LARGE_INTEGER now{};
    if (::GetFileSizeEx(descriptor_, &now) == 0) return last_error();
    return allocate(descriptor_, static_cast<std::uint64_t>(now.QuadPart));
  });
  if (error == std::errc::operation_not_supported) error.clear();
}

}  // namespace freshet::detail::os

#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {

namespace {

constexpr DWORD disk_quota_exceeded = 1295;  // mingw-w64's headers lack it

}  // namespace

std::error_code to_error(DWORD number) noexcept {
  switch (number) {
    case ERROR_SUCCESS:  // the call failed and did not say why
      return std::make_error_code(std::errc::io_error);
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return std::make_error_code(std::errc::operation_not_supported);
    case ERROR_LOCK_VIOLATION:
      return std::make_error_code(std::errc::operation_would_block);
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_WORKING_SET_QUOTA:
    case ERROR_NOT_ENOUGH_QUOTA:
    case ERROR_INVALID_USER_BUFFER:  // what ReadFile() and WriteFile() say where too many transfers are in flight
    case ERROR_COMMITMENT_LIMIT:
      return std::make_error_code(std::errc::not_enough_memory);
    case ERROR_OPERATION_ABORTED:
      return std::make_error_code(std::errc::operation_canceled);
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
      return std::make_error_code(std::errc::invalid_argument);
    case ERROR_FILE_TOO_LARGE:
      return std::make_error_code(std::errc::file_too_large);
    case disk_quota_exceeded:
      return std::make_error_code(std::errc::no_space_on_device);
    case ERROR_USER_MAPPED_FILE:
      return std::make_error_code(std::errc::device_or_resource_busy);
    case ERROR_FILE_CORRUPT:     // libstdc++: file_exists
    case ERROR_NETNAME_DELETED:  // libstdc++: no_such_file_or_directory
    case ERROR_SEEK:             // libstdc++: invalid_argument, as for the next one
    case ERROR_SECTOR_NOT_FOUND:
      return std::make_error_code(std::errc::io_error);
    case ERROR_CANT_RESOLVE_FILENAME:
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    case ERROR_PIPE_NOT_CONNECTED:
    case ERROR_NO_DATA:
      return std::make_error_code(std::errc::broken_pipe);
    default:
      return {static_cast<int>(number), std::system_category()};
  }
}

std::error_code status_error(NTSTATUS status) noexcept {
  if (status >= 0) return {};
  if (status == nt::file_is_a_directory) return std::make_error_code(std::errc::is_a_directory);
  return to_error(::RtlNtStatusToDosError(status));
}

}  // namespace freshet::detail::os

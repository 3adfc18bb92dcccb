#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {

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
    case ERROR_COMMITMENT_LIMIT:
      return std::make_error_code(std::errc::not_enough_memory);
    case ERROR_OPERATION_ABORTED:
      return std::make_error_code(std::errc::operation_canceled);
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
      return std::make_error_code(std::errc::invalid_argument);
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

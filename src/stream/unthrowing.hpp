// How what throws in the library is told to programs that are compiled without exceptions.
#pragma once

#include <exception>
#include <system_error>
#include <utility>

#include <freshet/detail/export.hpp>

namespace freshet::detail::unthrowing {

/// Prints `why` on standard error and aborts: the one way in which an error ends a program.
[[noreturn]] FRESHET_API void end_program(const char* why) noexcept;

/// Stores `code` for the program if it asked for error codes, otherwise ends it.
FRESHET_API void report(const std::error_code& code, const char* why) noexcept;

/// Returns the result of `operation`, or a default value after reporting what it throws.
template <typename Operation>
auto attempt(Operation operation) noexcept -> decltype(operation()) try {
  return operation();
} catch (const std::system_error& caught) {
  report(caught.code(), caught.what());
  return decltype(operation())();
} catch (const std::exception& caught) {  // only a lack of memory
  report(std::make_error_code(std::errc::not_enough_memory), caught.what());
  return decltype(operation())();
}

}  // namespace freshet::detail::unthrowing

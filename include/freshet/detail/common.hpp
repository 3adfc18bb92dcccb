// What the inline halves of freshet::writer and freshet::reader have in common; not for programs.
#pragma once

#include <system_error>

namespace freshet::detail {

// Accesses through char may alias everything, the writer's own members included, and would have them loaded anew for
// each byte; those through a type of its own do not.
enum class octet : unsigned char {};

/// Returns what `operation` returns, or says in `failure` what it threw and returns nothing in particular.
template <typename Operation>
auto attempt(std::error_code& failure, Operation operation) noexcept -> decltype(operation()) {
  failure.clear();
  try {
    return operation();
  } catch (const std::system_error& caught) {
    failure = caught.code();
  } catch (...) {  // only memory for the exception itself can be missing
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
  return decltype(operation())();
}

}  // namespace freshet::detail

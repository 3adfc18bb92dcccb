// How the inline parts of the library tell of errors, with and without exceptions; not for programs.
//
// A program that is compiled without exceptions (-fno-exceptions) can neither catch one nor let one pass: its frames
// would be left without what the compiler relies on. Its headers therefore call functions of the same names in the
// namespace `unthrowing`, which are part of the same library. Where the program asked for a std::error_code, they set
// it and return an empty result, with which the inline functions have to go on; otherwise they end the program.
//
// This is the only place that looks at how the program is compiled.
#pragma once

#include <system_error>
#include <type_traits>

#include <freshet/detail/export.hpp>

namespace freshet::detail {

namespace unthrowing {

/// While it exists, the first error of the calling thread is stored in a std::error_code.
class FRESHET_API error_recording {
 public:
  /// Clears `failure`.
  explicit error_recording(std::error_code& failure) noexcept;
  error_recording(const error_recording&) = delete;
  error_recording& operator=(const error_recording&) = delete;
  ~error_recording();

 private:
  std::error_code* const before_;
};

}  // namespace unthrowing

#ifdef __cpp_exceptions

namespace calls = freshet::detail;

/// Returns the result of `operation`. If it fails, sets `failure` and returns a default value.
template <typename Operation>
auto to_error_code(std::error_code& failure, Operation operation) noexcept -> decltype(operation()) {
  failure.clear();
  try {
    return operation();
  } catch (const std::system_error& caught) {
    failure = caught.code();
  } catch (...) {  // only allocating the exception itself can have failed
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
  return decltype(operation())();
}

#else

namespace calls = unthrowing;

/// Returns the result of `operation`. If it fails, sets `failure` and returns a default value.
template <typename Operation>
auto to_error_code(std::error_code& failure, Operation operation) noexcept -> decltype(operation()) {
  const unthrowing::error_recording recording{failure};
  if constexpr (std::is_void_v<decltype(operation())>) {
    operation();
  } else {
    auto result = operation();
    return failure ? decltype(result)() : result;
  }
}

#endif

}  // namespace freshet::detail

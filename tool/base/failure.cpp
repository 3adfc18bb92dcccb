#include "tool/base/failure.hpp"

#include <freshet/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>

#include "tool/base/text.hpp"

namespace freshet::tool {

std::string describe_failure(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return "allocate memory: Cannot allocate memory (ulimit -v, or a limit of a control group)";
  const auto* const refused = dynamic_cast<const std::system_error*>(&failure);
  if (refused != nullptr && typeid(failure) == typeid(std::system_error) &&
      refused->code() == std::errc::resource_unavailable_try_again)
    return fmt::format("start a thread: {} (ulimit -u, or a limit of a control group)", refused->code().message());
  // {fmt} does not name the file. That of errors is not written by it.
  if (refused != nullptr && std::string_view{failure.what()}.starts_with("cannot write to file"))
    return fmt::format("standard output: {}", refused->code().message());
  if (const auto* const of_file = dynamic_cast<const error*>(&failure); of_file != nullptr) {
    const std::string name = of_file->path().string();
    return replace_controls(name.empty() ? failure.what() : replaced(failure.what(), name, printable(name)));
  }
  return replace_controls(failure.what());
}

}  // namespace freshet::tool

// A path_argument as text that system calls take.
#pragma once

#include <filesystem>
#include <string>

#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// Refers to the text of the argument's path object, or copies the argument's text. Valid as long as the argument.
/// Making a std::filesystem::path instead would cost small files a third of all instructions.
class native_path {
 public:
  explicit native_path(const path_argument& argument)
      : copy_{argument.text()}, text_{argument.path() != nullptr ? argument.path()->native() : copy_} {}
  native_path(const native_path&) = delete;
  native_path& operator=(const native_path&) = delete;
  ~native_path() = default;

  [[nodiscard]] const std::string& get() const noexcept { return text_; }

 private:
  std::string copy_;
  const std::string& text_;
};

}  // namespace freshet::detail

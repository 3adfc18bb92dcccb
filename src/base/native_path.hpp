// A path_argument as text that system calls take.
#pragma once

#include <filesystem>
#include <string>

#include <freshet/path_argument.hpp>

#include "src/os/native_string.hpp"

namespace freshet::detail {

/// Refers to the text of the argument's path object, or copies the argument's text. Valid as long as the argument.
/// Making a std::filesystem::path instead would cost small files a third of all instructions.
class native_path {
 public:
  explicit native_path(const path_argument& argument)
      : copy_{copy_of(argument)}, text_{argument.path() != nullptr ? argument.path()->native() : copy_} {}
  native_path(const native_path&) = delete;
  native_path& operator=(const native_path&) = delete;
  ~native_path() = default;

  [[nodiscard]] const native_string& get() const noexcept { return text_; }

 private:
  template <typename Character = path_character>
  [[nodiscard]] static std::basic_string<Character> copy_of(const path_argument& argument) {
    if constexpr (std::is_same_v<Character, char>)
      return std::string{argument.text()};
    else
      return argument.text().empty() ? argument.converted() : to_native<Character>(argument.text());
  }

  native_string copy_;
  const native_string& text_;
};

}  // namespace freshet::detail

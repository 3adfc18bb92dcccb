// A path_argument as a std::filesystem::path.
#pragma once

#include <filesystem>

#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// Refers to the argument's path object, or makes one from its text. Valid as long as the argument.
class complete_path {
 public:
  explicit complete_path(const path_argument& argument)
      : made_{argument.text()}, path_{argument.path() != nullptr ? *argument.path() : made_} {}
  complete_path(const complete_path&) = delete;
  complete_path& operator=(const complete_path&) = delete;
  ~complete_path() = default;

  [[nodiscard]] const std::filesystem::path& get() const noexcept { return path_; }

 private:
  std::filesystem::path made_;
  const std::filesystem::path& path_;
};

}  // namespace freshet::detail

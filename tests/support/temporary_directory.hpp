// A place for a test's files.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace freshet::test {

/// A fresh directory below $FRESHET_TEST_DIR (else the system's temporary one); removed with all in it in the end.
class temporary_directory {
 public:
  temporary_directory() : temporary_directory{root()} {}
  explicit temporary_directory(const std::filesystem::path& below) {
    std::string name = below / "freshet-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error{errno, std::generic_category(), name};
    path_ = name;
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The path of `name` in it.
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  static std::filesystem::path root() {
    const char* const chosen = std::getenv("FRESHET_TEST_DIR");
    return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen}
                                                : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

/// Where a trial shares no disk with other tests, whose writes would make it invalid: in memory, where that can be had.
[[nodiscard]] inline std::filesystem::path undisturbed_place() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

}  // namespace freshet::test

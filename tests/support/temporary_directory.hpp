// A directory for the files of a test.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace freshet::test {

[[nodiscard]] inline std::filesystem::path place_named_by(const char* variable) {
  const char* const chosen = std::getenv(variable);
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen} : std::filesystem::temp_directory_path();
}

/// A directory in memory if ./test chose one, because that is fastest.
[[nodiscard]] inline std::filesystem::path memory_place() { return place_named_by("FRESHET_TEST_DIR"); }
/// A directory on a disk, for tests of direct I/O, extents and the page cache.
[[nodiscard]] inline std::filesystem::path disk_place() { return place_named_by("FRESHET_TEST_DISK"); }

/// The directory for files of tests; CMake decides which programs need a disk.
[[nodiscard]] inline std::filesystem::path usual_place() {
#ifdef FRESHET_TEST_ON_DISK
  return disk_place();
#else
  return memory_place();
#endif
}

/// A new directory below usual_place(). The destructor removes it with all its files.
class temporary_directory {
 public:
  temporary_directory() : temporary_directory{usual_place()} {}
  explicit temporary_directory(const std::filesystem::path& below) {
    std::string name = (below / "freshet-test-XXXXXX").string();
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
  /// The path of `name` in the directory.
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A directory for trials, in memory if possible: writes of other tests to the same disk would make them invalid.
[[nodiscard]] inline std::filesystem::path undisturbed_place() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.string().c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

}  // namespace freshet::test

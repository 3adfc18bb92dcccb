// The directory in which a benchmark writes. It is created in FRESHET_BENCH_DIR, by default the current directory, and
// removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace freshet::bench {

class scratch_directory {
 public:
  scratch_directory() {
    const char* named = std::getenv("FRESHET_BENCH_DIR");
    auto pattern = (std::filesystem::path{named != nullptr ? named : "."} / "freshet-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make " + pattern};
    path_ = pattern;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const scratch_directory& scratch() {
  static const scratch_directory directory;
  return directory;
}

}  // namespace freshet::bench

// SHA-256, to compare files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace freshet::tool {

/// The hash of everything written to it.
class sha256 {
 public:
  sha256();
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  /// Adds the content of a file. @throws freshet::error; interrupted
  void write_file(const std::filesystem::path& path);
  /// Adds the names and contents of all files below a folder, if it exists, except Python's caches and files called
  /// `left_out`. @throws freshet::error; std::filesystem::filesystem_error; interrupted
  void write_folder(const std::filesystem::path& folder, std::string_view left_out = {});
  /// The hash as 64 hexadecimal digits. Precondition: it was not called before. Nothing can be written afterwards.
  [[nodiscard]] std::string digits();

 private:
  struct release {
    void operator()(void* context) const noexcept;
  };
  std::unique_ptr<void, release> context_;
};

}  // namespace freshet::tool

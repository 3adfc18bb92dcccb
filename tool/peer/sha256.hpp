// SHA-256, which says of two files whether they are the same.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace freshet::tool {

/// The hash of all that was written to it.
class sha256 {
 public:
  sha256();
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  /// All that a file holds; nothing may be written afterwards but more files or text. @throws freshet::error
  void write_file(const std::filesystem::path& path);
  /// The names and contents of all files below a folder, if it is there; what Python leaves beside its sources, and
  /// files called `left_out`, are none of them. Afterwards as after write_file(). @throws freshet::error;
  /// std::filesystem::filesystem_error
  void write_folder(const std::filesystem::path& folder, std::string_view left_out = {});
  /// 64 hexadecimal digits. Nothing more can be written.
  [[nodiscard]] std::string digits();

 private:
  struct release {
    void operator()(void* context) const noexcept;
  };
  std::unique_ptr<void, release> context_;
};

}  // namespace freshet::tool

/// @file
/// The error that freshet's functions throw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace freshet {

/// What went wrong with a file: which operation, on which path, where in the file, and why.
class error : public std::system_error {
 public:
  /// @param code       why, as the operating system says it
  /// @param operation  what was tried, as a verb: "open", "write", "sync", …
  /// @param path       the file; empty where it has no name
  /// @param offset     bytes from the file's start; no_offset where the operation has none
  /// @param detail     more words on the reason; may be empty
  error(std::error_code code, std::string_view operation, const std::filesystem::path& path,
        std::uint64_t offset = no_offset, std::string_view detail = {});

  /// Stands for "this operation has no offset".
  static constexpr std::uint64_t no_offset = ~std::uint64_t{0};

  /// "write '/a/b.txt' at offset 4096: No space left on device (detail)".
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }
  /// What was tried: "open", "write", …
  [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
  /// The file; empty where it has no name.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Bytes from the file's start where it failed, or no_offset.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  std::string operation_;
  std::filesystem::path path_;
  std::uint64_t offset_;
  std::string what_;
};

}  // namespace freshet

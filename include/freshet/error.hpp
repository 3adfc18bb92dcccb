/// @file
/// freshet::error, which freshet's functions throw.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/detail/export.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

/// An operation on a file that failed: which operation, on which path, where in the file, and why.
class FRESHET_API error : public std::system_error {
 public:
  /// Makes an error.
  /// @param code       the reason
  /// @param operation  what was tried, as a verb: "open", "write", "sync", …
  /// @param path       the file; empty if it has no name
  /// @param offset     where the operation failed, in bytes from the file's start. Default: no_offset
  /// @param detail     an explanation that is added to the message. Default: none
  error(std::error_code code, std::string_view operation, const path_argument& path, std::uint64_t offset = no_offset,
        std::string_view detail = {});

  /// Makes a copy that shares the content of `other`.
  error(const error& other) noexcept;
  /// Shares the content of `other`.
  error& operator=(const error& other) noexcept;
  /// Frees the content with its last copy.
  ~error() override;

  /// The value of `offset` for operations without one.
  static constexpr std::uint64_t no_offset = ~std::uint64_t{0};

  /// Returns the whole message: "write '/a/b.txt' at offset 4096: No space left on device (detail)".
  [[nodiscard]] const char* what() const noexcept override;
  /// Returns what was tried: "open", "write", …
  [[nodiscard]] const std::string& operation() const noexcept;
  /// Returns the file's path; empty if it has no name. To use it, include `<filesystem>`.
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Returns where the operation failed, in bytes from the file's start, or no_offset.
  [[nodiscard]] std::uint64_t offset() const noexcept;

 private:
  struct contents;  // has a std::filesystem::path, whose header costs more than all the others together
  contents* contents_;
};

}  // namespace freshet

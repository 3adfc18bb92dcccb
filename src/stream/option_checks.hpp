// Which options of writers and readers are valid, and which cannot hold together.
#pragma once

#include <cstdint>
#include <string>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// What options are for.
enum class opened_as : std::uint8_t {
  file,        ///< a file that is only written or only read
  edited,      ///< a file that is written and read (std::ios_base::in | out)
  descriptor,  ///< a descriptor that was opened elsewhere
};

/// @throws freshet::error  errc::invalid_argument, or errc::function_not_supported if a library is missing; with the
/// reason
void check_options(const native_string& path, const writer_options& options, opened_as how);
void check_options(const native_string& path, const reader_options& options, opened_as how);

[[nodiscard]] inline bool compresses(const writer_options& options) noexcept {
  return options.compression.format != compression_format::none;
}
[[nodiscard]] inline bool decompresses(const reader_options& options) noexcept {
  return options.decompression != decompression::none;
}

[[nodiscard]] inline bool has_checksum(const writer_options& options) noexcept {
  return options.checksum != checksum_algorithm::none;
}
[[nodiscard]] inline bool has_checksum(const reader_options& options) noexcept {
  return options.expected_checksum.algorithm != checksum_algorithm::none;
}

}  // namespace freshet::detail

// The functions that the inline part of freshet::reader calls; not for programs.
//
// As for writers (open_file.hpp), a reader's address is never passed to a function that the compiler cannot inline, so
// that a byte costs one load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/detail/common.hpp>
#include <freshet/detail/export.hpp>
#include <freshet/detail/native_handle.hpp>
#include <freshet/detail/owner.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {
struct file_statistics;
}

namespace freshet::detail {

/// The next bytes: [cursor, limit). Empty at the end of the file, after an error and when closed, so that a reader
/// needs no further test.
struct read_window {
  const octet* cursor = nullptr;
  const octet* limit = nullptr;
};

/// The part of a source that readers access directly.
struct FRESHET_API open_source {
  const octet* front = nullptr;    ///< of the window
  std::uint64_t front_offset = 0;  ///< offset of that byte in the file
};

/// Tells of the content that a reader found malformed.
struct malformed_content;

/// @throws freshet::error
[[nodiscard]] FRESHET_API owned_source open_to_read(const path_argument& path, const reader_options& options);
/// @throws freshet::error
[[nodiscard]] FRESHET_API owned_source adopt_to_read(native_handle_type descriptor, bool owned,
                                                     const reader_options& options);

/// The next window, and what was read before it.
struct read_length : read_window {
  std::size_t length = 0;
};
struct read_view : read_window {
  std::span<const std::byte> bytes;
};

// Each takes the end of the part of the window that was read and returns the next window. They throw freshet::error;
// there is then no window. `source` is null for a reader that was never open or was moved from.
FRESHET_API read_window refill(open_source* source, const octet* cursor);
[[nodiscard]] FRESHET_API read_length read_across(open_source* source, const octet* cursor, std::span<std::byte> into);
[[nodiscard]] FRESHET_API read_view view_across(open_source* source, const octet* cursor, std::size_t length);
[[nodiscard]] FRESHET_API read_view view_through_across(open_source* source, const octet* cursor, std::byte last,
                                                        std::size_t most);
FRESHET_API read_window skip(open_source* source, const octet* cursor, std::uint64_t length);
FRESHET_API read_window seek_source(open_source* source, const octet* cursor, std::uint64_t offset);
FRESHET_API read_window refresh_source(open_source* source, const octet* cursor);
FRESHET_API read_window close_source(open_source* source, const octet* cursor);

/// Closes the file, ignoring errors.
FRESHET_API void discard(open_source* source, const octet* cursor) noexcept;

/// @throws freshet::error
[[nodiscard]] FRESHET_API std::uint64_t size(open_source* source);

/// @throws freshet::error  always
[[noreturn, gnu::cold]] FRESHET_API void reject(const open_source* source, std::errc why, std::uint64_t offset,
                                                std::string_view detail);

/// "a line is longer than 100 bytes". In the library for the reason that write_decimal() is.
[[nodiscard]] FRESHET_API std::string explain_long_line(std::size_t longest);

/// Tells of malformed content, as reject() does. It returns in programs without exceptions alone.
/// @throws freshet::error  always
[[gnu::cold]] FRESHET_API void report_content(const open_source* source, std::errc why, std::uint64_t offset,
                                              std::string_view detail);

[[nodiscard]] FRESHET_API bool is_open(const open_source* source) noexcept;
[[nodiscard]] FRESHET_API std::error_code last_error(const open_source* source) noexcept;
[[nodiscard]] FRESHET_API std::string_view method_name(const open_source* source) noexcept;
/// @throws std::bad_alloc
FRESHET_API void collect_statistics(const open_source* source, file_statistics& result);
[[nodiscard]] FRESHET_API native_handle_type native_handle(const open_source* source) noexcept;

/// What those of these functions do that throw, for programs without exceptions: see failure.hpp.
namespace unthrowing {

[[nodiscard]] FRESHET_API owned_source open_to_read(const path_argument& path, const reader_options& options) noexcept;
[[nodiscard]] FRESHET_API owned_source adopt_to_read(native_handle_type descriptor, bool owned,
                                                     const reader_options& options) noexcept;
FRESHET_API read_window refill(open_source* source, const octet* cursor) noexcept;
[[nodiscard]] FRESHET_API read_length read_across(open_source* source, const octet* cursor,
                                                  std::span<std::byte> into) noexcept;
[[nodiscard]] FRESHET_API read_view view_across(open_source* source, const octet* cursor, std::size_t length) noexcept;
[[nodiscard]] FRESHET_API read_view view_through_across(open_source* source, const octet* cursor, std::byte last,
                                                        std::size_t most) noexcept;
FRESHET_API read_window skip(open_source* source, const octet* cursor, std::uint64_t length) noexcept;
FRESHET_API read_window seek_source(open_source* source, const octet* cursor, std::uint64_t offset) noexcept;
FRESHET_API read_window refresh_source(open_source* source, const octet* cursor) noexcept;
FRESHET_API read_window close_source(open_source* source, const octet* cursor) noexcept;
[[nodiscard]] FRESHET_API std::uint64_t size(open_source* source) noexcept;
[[noreturn]] FRESHET_API void reject(const open_source* source, std::errc why, std::uint64_t offset,
                                     std::string_view detail) noexcept;
FRESHET_API void report_content(const open_source* source, std::errc why, std::uint64_t offset,
                                std::string_view detail) noexcept;
FRESHET_API void collect_statistics(const open_source* source, file_statistics& result) noexcept;

}  // namespace unthrowing
}  // namespace freshet::detail

// The functions that the inline part of freshet::writer calls; not for programs.
//
// A writer's address is never passed to a function that the compiler cannot inline: these functions take and return its
// pointers by value. The compiler can therefore keep the pointers in registers, and a byte costs one store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

/// Room for the next bytes: [cursor, limit). It is empty after an error and when closed, so that a writer needs no
/// further test.
struct window {
  octet* cursor = nullptr;
  octet* limit = nullptr;
};

/// Tells freshet::each_line the file of a writer.
struct writer_file;

/// The part of a sink that writers access directly.
struct FRESHET_API open_file {
  octet* front = nullptr;          ///< of the window
  std::uint64_t front_offset = 0;  ///< offset of that byte in the file
};

/// A file and its first window.
struct opened {
  owned_file file;
  window room;
};
/// @throws freshet::error
[[nodiscard]] FRESHET_API opened open(const path_argument& path, const writer_options& options);
/// @throws freshet::error
[[nodiscard]] FRESHET_API opened adopt(native_handle_type descriptor, bool owned, const writer_options& options);

// Each takes the end of the filled part of the window and returns the next window. They throw freshet::error; there is
// then no window. `file` is null for a writer that was never open or was moved from.
[[nodiscard]] FRESHET_API window make_room(open_file* file, octet* cursor);
[[nodiscard]] FRESHET_API window write_across(open_file* file, octet* cursor, std::span<const std::byte> bytes);
[[nodiscard]] FRESHET_API window flush(open_file* file, octet* cursor);
[[nodiscard]] FRESHET_API window sync(open_file* file, octet* cursor);
[[nodiscard]] FRESHET_API window close(open_file* file, octet* cursor);

/// Closes the file, ignoring errors. Discards a hidden file.
FRESHET_API void discard(open_file* file, octet* cursor) noexcept;

/// @throws freshet::error
FRESHET_API void reserve(open_file* file, std::uint64_t bytes);
/// Tells of a string that is too long to be written at `offset`. @throws freshet::error  always
[[gnu::cold]] FRESHET_API void refuse_string(std::uint64_t offset);

[[nodiscard]] FRESHET_API bool is_open(const open_file* file) noexcept;
[[nodiscard]] FRESHET_API std::uint64_t written_bytes(const open_file* file) noexcept;
[[nodiscard]] FRESHET_API std::uint64_t durable_bytes(const open_file* file) noexcept;
[[nodiscard]] FRESHET_API std::error_code last_error(const open_file* file) noexcept;
[[nodiscard]] FRESHET_API std::string_view method_name(open_file* file) noexcept;
/// @throws std::bad_alloc
FRESHET_API void collect_statistics(const open_file* file, file_statistics& result);
/// The file is then written at the descriptor's own position, after the filled part of the window.
[[nodiscard]] FRESHET_API native_handle_type native_handle(open_file* file) noexcept;
/// Changes nothing.
[[nodiscard]] FRESHET_API native_handle_type descriptor_of(const open_file* file) noexcept;
[[nodiscard]] FRESHET_API checksum checksum_of(const open_file* file) noexcept;

/// What those of these functions do that throw, for programs without exceptions: see failure.hpp.
namespace unthrowing {

[[nodiscard]] FRESHET_API opened open(const path_argument& path, const writer_options& options) noexcept;
[[nodiscard]] FRESHET_API opened adopt(native_handle_type descriptor, bool owned,
                                       const writer_options& options) noexcept;
[[nodiscard]] FRESHET_API window make_room(open_file* file, octet* cursor) noexcept;
[[nodiscard]] FRESHET_API window write_across(open_file* file, octet* cursor,
                                              std::span<const std::byte> bytes) noexcept;
[[nodiscard]] FRESHET_API window flush(open_file* file, octet* cursor) noexcept;
[[nodiscard]] FRESHET_API window sync(open_file* file, octet* cursor) noexcept;
[[nodiscard]] FRESHET_API window close(open_file* file, octet* cursor) noexcept;
FRESHET_API void reserve(open_file* file, std::uint64_t bytes) noexcept;
FRESHET_API void refuse_string(std::uint64_t offset) noexcept;
FRESHET_API void collect_statistics(const open_file* file, file_statistics& result) noexcept;

}  // namespace unthrowing
}  // namespace freshet::detail

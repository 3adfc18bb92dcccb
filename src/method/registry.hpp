// The list of all methods, which the library opens files by and the command measures by.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/method/method.hpp"
#include "src/method/read_method.hpp"
#include "src/os/call_family.hpp"

namespace freshet::detail {

/// One method: everything about it that a writer, a reader or the command must know.
struct method_entry {
  std::string_view name;
  std::string_view summary;
  bool keeps_order = true;
  bool asynchronous = false;
  bool direct = false;             ///< uses O_DIRECT
  unsigned direct_preference = 0;  ///< of direct methods: the lowest one that works replaces one that does not
  bool needs_file = true;          ///< false: `null`
  bool needs_read = false;         ///< the file must also be open for reading (mmap)
  std::size_t good_block = 0;      ///< bytes, if the user names the method and no block
  unsigned good_depth = 1;
  bool gives_back = false;           ///< pages leave the page cache once they are written
  std::size_t writeback_window = 0;  ///< bytes that accumulate before it has the kernel write them; 0: it does not
  std::optional<os::call_family> needed_calls = {};  ///< systems with others cannot have it; empty: all can
  std::string_view fio_engine;                       ///< fio's ioengine that makes the same system calls
  /// Explains why it does not work on this open file; empty if it works. Writes nothing.
  std::string (*why_not)(const os::file& target) = nullptr;
  /// Makes a method for `target`, which must outlive it.
  std::unique_ptr<method> (*make)(os::file& target, const method_setup& setup) = nullptr;
  bool changes = false;        ///< uses others, and changes between them (adaptive)
  bool reads_unasked = true;   ///< false: a file truncated while it is read ends the program (mmap)
  bool reads_by_size = false;  ///< reads as many bytes as the file says that it has (mmap)
  /// Makes a reading method for `source`, which must outlive it; null if the method only writes.
  std::unique_ptr<read_method> (*make_reading)(os::file& source, const read_setup& setup) = nullptr;
};

/// All methods, simplest first: of methods that are equally good, the first is preferred.
[[nodiscard]] std::span<const method_entry> method_entries() noexcept;

/// The methods that the library itself chooses. Every system has them, and they may be used before main().
extern const method_entry& buffered_method;
extern const method_entry& writebehind_method;
extern const method_entry& direct_method;
extern const method_entry& adaptive_method;

/// For names that users, profiles and records give: null if there is no method of that name.
[[nodiscard]] const method_entry* find_method(std::string_view name) noexcept;

/// The direct methods in the order in which they replace each other.
[[nodiscard]] std::span<const method_entry* const> direct_methods() noexcept;

/// The first of them that works on `target`; null if none does.
[[nodiscard]] const method_entry* usable_direct_method(const os::file& target);

/// Returns `wanted` if it works on `target`, otherwise its replacement: for a direct method the first direct method
/// that works, and otherwise `buffered`, which always works.
[[nodiscard]] const method_entry& usable_method(const method_entry& wanted, const os::file& target);

/// The same for reading. Precondition: `wanted` reads.
[[nodiscard]] const method_entry& usable_reading_method(const method_entry& wanted, const os::file& target);

/// Explains why `wanted` does not read this open file; empty if it does. Precondition: `wanted` reads.
[[nodiscard]] std::string why_not_reading(const method_entry& wanted, const os::file& source);

/// Explains why the system does not write this open file's pages early and drop them, as far as it has calls for both;
/// empty if it does.
[[nodiscard]] std::string why_not_writing_behind(const os::file& target);

/// Explains why the system does not drop pages of this open file from the page cache; empty if it does.
[[nodiscard]] std::string why_not_dropping(const os::file& target);

/// The names of all methods for messages: "buffered, writebehind, …".
[[nodiscard]] std::string method_names();
/// The names of the methods that read.
[[nodiscard]] std::string reading_method_names();

}  // namespace freshet::detail

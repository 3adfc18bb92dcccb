// The one list of methods: the library opens files by it, the tool measures by it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "src/method/method.hpp"
#include "src/method/read_method.hpp"

namespace freshet::detail {

/// One way to write, and maybe to read, and what a writer or reader must know before it opens a file for it.
struct method_entry {
  std::string_view name;
  std::string_view summary;
  bool keeps_order = true;
  bool asynchronous = false;
  bool direct = false;         ///< uses O_DIRECT
  bool needs_file = true;      ///< false: `null`
  bool needs_read = false;     ///< the file must be open for reading, too (mmap)
  std::size_t good_block = 0;  ///< bytes, where the user names the method and no block
  unsigned good_depth = 1;
  /// Why it does not work on this open file, in words; empty where it does. Writes nothing.
  std::string (*why_not)(const os::file& target) = nullptr;
  /// Makes one for `target`, which outlives it.
  std::unique_ptr<method> (*make)(os::file& target, const method_setup& setup) = nullptr;
  bool reads_unasked = true;  ///< false: a file cut short under it ends the program (mmap)
  /// The same for reading; null where it only writes.
  std::unique_ptr<read_method> (*make_reading)(os::file& target, const read_setup& setup) = nullptr;
};

/// Simplest first: of equals, the earlier one is preferred.
[[nodiscard]] std::span<const method_entry> method_entries() noexcept;

/// Null where there is no method of that name.
[[nodiscard]] const method_entry* find_method(std::string_view name) noexcept;

/// `wanted` where it works on `target`, else the next best that does: another direct one for a direct one, and in the
/// end `buffered`, which always does.
[[nodiscard]] const method_entry& usable_method(const method_entry& wanted, const os::file& target);

/// The same for reading. `wanted` must read.
[[nodiscard]] const method_entry& usable_reading_method(const method_entry& wanted, const os::file& target);

/// "buffered, dontcache, …": for messages.
[[nodiscard]] std::string method_names();
/// Those that read.
[[nodiscard]] std::string reading_method_names();

}  // namespace freshet::detail

// By which method a file is read, and in which blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/method/registry.hpp"

namespace freshet::detail {

/// The method, the block and the depth that a file's options, its profile and the file itself ask for.
class read_plan {
 public:
  /// Begins with the method that the options name; `buffered` where they name none.
  /// @param largest_piece  what a rate limit allows a block to have, in bytes
  /// @throws freshet::error  if there is no such method, or it does not read
  read_plan(const native_string& path, const reader_options& options, std::size_t largest_piece);

  /// Whether an open file may be refused, so that choose() has to know its status.
  [[nodiscard]] bool needs_status() const noexcept;
  /// Decides how an open file begins. @throws freshet::error  if it cannot be read as asked
  void choose(const native_string& path, const os::file& source, const std::optional<os::file_status>& status);
  /// From now on `buffered`, whatever options and profile name. Blocks keep their size.
  void choose_buffered() noexcept;
  /// Decides for a file without offsets.
  void choose_in_order() noexcept;
  /// Makes the method for all blocks but those of a file that ends in its first one: where nobody named a method, it
  /// may be the profile's, or `adaptive`. @param setup  all of it but the sizes. @throws std::bad_alloc
  [[nodiscard]] std::unique_ptr<read_method> make_method(os::file& source, const os::file_status& status,
                                                         read_setup setup);

  const method_entry* entry;
  std::size_t block = 0;  ///< bytes

 private:
  void choose_by_profile(const os::file& source, std::uint64_t device, read_setup& setup);
  void choose_sizes(std::size_t profiled_block, unsigned profiled_depth) noexcept;

  reader_options options_;
  std::size_t largest_piece_;
  bool strict_;  // the user named the method, or what the page cache holds
  bool in_order_ = false;
  unsigned depth_ = 1;
};

}  // namespace freshet::detail

// By which method a file is written, and in which blocks.
#pragma once

#include <cstddef>
#include <string>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/method/prior.hpp"
#include "src/method/registry.hpp"
#include "src/sink/opened_file.hpp"

namespace freshet::detail {

/// The method, the block and the depth that a file's options, its profile and the file itself ask for.
class write_plan {
 public:
  /// Begins with the method that the options name; `buffered` where they name none.
  /// @param largest_piece  what a rate limit allows a block to have, in bytes
  /// @throws freshet::error  if there is no such method, or it cannot keep order as asked
  write_plan(const native_string& path, const writer_options& options, std::size_t largest_piece);

  /// Decides for a file whose status is known, or not known yet: that is for files that begin in the same way whatever
  /// they are. @throws freshet::error  if the file cannot be written as asked
  void choose(const opened_file& target);
  /// Decides for a file that writes at its descriptor's own position, and for a block device: always `buffered`.
  /// @throws freshet::error
  void choose_sequential(const opened_file& target);
  /// Decides anew for a file of which something became known. @throws std::bad_alloc
  void choose_by_profile(const opened_file& target);
  /// Takes `buffered` and decides anew. @throws freshet::error
  void restart(const opened_file& target);

  /// Pages may be given back while the file is written: neither the program nor a profile named another method than
  /// the page cache, and nobody said what that is to hold.
  [[nodiscard]] bool may_change() const noexcept;

  /// What a file that may change begins with.
  [[nodiscard]] prior_setup prior_of(const opened_file& target) const;

  const method_entry* entry;
  bool strict;            ///< the user named the method, or has the file bypass the page cache
  std::size_t block = 0;  ///< bytes
  unsigned depth = 1;

 private:
  void choose_direct(const opened_file& target);
  void choose_sizes(std::size_t profiled_block, unsigned profiled_depth);

  writer_options options_;
  std::size_t largest_piece_;
  bool sequential_ = false;
  bool is_fixed_ = false;  // the profile insists
  measured_ways profiled_;
};

}  // namespace freshet::detail

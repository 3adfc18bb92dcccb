// By which method a file is written, and in which blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/method/prior.hpp"
#include "src/method/registry.hpp"
#include "src/sink/opened_file.hpp"

namespace freshet::detail {

/// What the offsets of an output's writes mean.
enum class write_positioning : std::uint8_t {
  sequential,     ///< nothing: appends, pipes, devices and borrowed descriptors write at their own position
  front_to_back,  ///< the bytes written so far are the whole file
  edited,         ///< there may be other bytes beyond the last write, as there always are in a block device
  shared,         ///< nothing: the regular file's position is the descriptor's own, which others move, too
};
[[nodiscard]] constexpr bool is_at_own_position(write_positioning one) noexcept {
  return one == write_positioning::sequential || one == write_positioning::shared;
}

/// The method, the block and the depth that a file's options, its profile and the file itself ask for.
class write_plan {
 public:
  /// Begins with the method that the options name; `buffered` where they name none.
  /// @param largest_piece  what a rate limit allows a block to have, in bytes
  /// @throws freshet::error  if there is no such method, or it cannot keep order as asked
  write_plan(const native_string& path, const writer_options& options, std::size_t largest_piece);

  /// Decides for a file whose status is known, or not known yet: that is for files that begin in the same way whatever
  /// they are. Decides anew where something became known of the file. One that writes at its descriptor's own position,
  /// and a block device, have `buffered`, whatever the options name. @throws freshet::error  if the file cannot be
  /// written as asked
  void choose(const opened_file& target, write_positioning positioning);

  /// Makes the method that writes from `start` on, in a file whose status is known: that of `entry`, which is replaced
  /// if it does not work and need not; or one that gives pages back, for new files where neither the program nor a
  /// profile named another method than the page cache, and nobody said what that is to hold.
  /// @param origin  as in method_setup
  /// @throws std::bad_alloc
  [[nodiscard]] std::unique_ptr<method> make_method(opened_file& target, write_positioning positioning,
                                                    std::uint64_t start, std::uint64_t origin);

  const method_entry* entry;
  bool strict;            ///< the user named the method, or has the file bypass the page cache
  std::size_t block = 0;  ///< bytes

 private:
  [[nodiscard]] prior_setup prior_of(const opened_file& target) const;
  void choose_direct(const opened_file& target);
  void choose_by_profile(const opened_file& target, bool sequential);
  void choose_sizes(std::size_t profiled_block, unsigned profiled_depth);
  [[nodiscard]] bool may_change(const opened_file& target, write_positioning positioning) const noexcept;

  writer_options options_;
  std::size_t largest_piece_;
  bool is_fixed_ = false;  // the profile insists
  measured_ways profiled_;
  unsigned depth_ = 1;
};

}  // namespace freshet::detail

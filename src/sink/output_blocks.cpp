// The size of an output's block, and where the next bytes belong in it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "src/sink/output.hpp"

namespace freshet::detail {

// Where the next bytes belong in a block of that size. Blocks end at multiples of their size in the file, but for those
// that end where a piece does.
std::size_t output::begin_in(std::size_t block) const noexcept {
  return keeps_pieces() ? 0 : static_cast<std::size_t>(window_.offset() % block);
}

// Shows the part of the block in which the next bytes belong. One begins earlier in memory where less than `least`
// would be left of it.
void output::show_block(std::size_t least) noexcept {
  auto begin = begin_in(block_.size());
  if (block_.size() - begin < least) begin = static_cast<std::size_t>(window_.offset() % smallest_block);
  window_.show(block_.bytes().subspan(begin));
}

// The size that the block may have now. Where many files are open, those that write much have the larger blocks.
std::size_t output::allowance() const noexcept {
  constexpr std::uint64_t portion = 128;
  if (plan_.strict || options_.block != 0) return plan_.block;
  const std::size_t known = target_.status() ? plan_.block : std::min(plan_.block, small_file);
  const auto earned = static_cast<std::size_t>(std::min<std::uint64_t>(written() / portion, largest_block));
  return std::min(known, std::bit_floor(std::max({pool::fair_share(), earned, first_block})));
}

bool output::grow(std::size_t least) noexcept {
  if (block_.size() >= plan_.block) return false;
  const auto unwritten = window_.unwritten();
  // The unwritten bytes may end where the larger block does.
  const auto has_room = [&](std::size_t size) { return size - begin_in(size) >= unwritten.size() + least; };
  const std::size_t most = allowance();
  std::size_t size = std::min(most, block_.size() * 8);
  while (size < most && !has_room(size)) size = std::min(most, size * 8);
  if (size <= block_.size() || !has_room(size)) return false;
  auto larger = pool::try_take(size);
  if (!larger) return false;
  const std::size_t begin = begin_in(size);
  std::memcpy(larger.data() + begin, unwritten.data(), unwritten.size());
  window_.show(larger.bytes().subspan(begin), unwritten.size());
  block_ = std::move(larger);
  return true;
}

// Returns memory that others need more. Precondition: nothing in the window is unwritten.
void output::shrink(std::size_t least) noexcept {
  // A method that was changed to has chosen its own.
  const bool is_wanted = method_ && (in_use().asynchronous || (in_use().direct && !plan_.entry->direct));
  if (failure() || is_wanted || block_.size() <= 2 * allowance()) return;
  auto smaller = pool::try_take(allowance());
  if (!smaller) return;
  block_ = std::move(smaller);
  show_block(least);
}

}  // namespace freshet::detail

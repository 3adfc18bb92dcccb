#include "src/method/residency_map.hpp"

#include <algorithm>
#include <new>

#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

constexpr std::uint64_t part_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t asked_bytes = std::uint64_t{64} << 10;
// Parts. Through the page cache, the kernel reads ahead up to twice the device's read_ahead_kb, here up to 16 MiB; what
// is asked for only then would look as if it had been there before.
constexpr std::uint64_t most_ahead = 34;
constexpr std::uint64_t growth = 8;

}  // namespace

residency_map::residency_map(const os::file& source, std::uint64_t size)
    : source_{source}, size_{size}, asks_ahead_{most_ahead} {
  runs_.reserve(most_ahead + 1);
}

residency_map::run residency_map::at(std::uint64_t offset) noexcept {
  if (offset < begin_ || offset > known_end()) {
    runs_.clear();
    asks_ahead_ = 1;
  }
  begin_ = offset;
  runs_.erase(runs_.begin(), std::ranges::find_if(runs_, [&](const run& each) { return each.end > offset; }));
  while (!refused_ && known_end() < size_ && known_end() < offset / part_bytes * part_bytes + asks_ahead_ * part_bytes)
    ask_for_next_part();
  asks_ahead_ = std::min(growth * asks_ahead_, most_ahead);
  if (refused_) return {endless, residence::unknown};
  // Up to the end, direct I/O reads whole pages.
  return runs_.front().end < size_ ? runs_.front() : run{endless, runs_.front().where};
}

void residency_map::ask_for_next_part() noexcept {
  const std::uint64_t begin = known_end() / part_bytes * part_bytes;
  const std::uint64_t end = std::min(size_, begin + part_bytes);
  const residence where = look_at(begin, end);
  refused_ = where == residence::unknown;
  if (!runs_.empty() && runs_.back().where == where)
    runs_.back().end = end;
  else
    runs_.push_back({end, where});  // there is room: at most most_ahead parts are known
}

residence residency_map::look_at(std::uint64_t begin, std::uint64_t end) const noexcept try {
  const std::uint64_t length = std::min(asked_bytes, end - begin);
  const std::uint64_t from = (begin + (end - begin - length) / 2) / asked_bytes * asked_bytes;
  std::error_code error;
  os::residency found;
  uninterrupted(error, [&] { found = source_.cached_in(from, length, error); });
  if (error) return residence::unknown;
  return 2 * found.cached >= found.pages ? residence::cached : residence::absent;
} catch (const std::bad_alloc&) {
  return residence::unknown;
}

}  // namespace freshet::detail

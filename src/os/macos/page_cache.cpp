// The page cache on macOS: past it, what is read ahead into it, and what it holds.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

int read_ahead(int descriptor, std::uint64_t offset, std::uint64_t length) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();  // all that ra_count can hold
  struct radvisory part {};
  part.ra_offset = static_cast<off_t>(offset);
  part.ra_count = static_cast<int>(length == 0 ? most : std::min(length, most));
  return ::fcntl(descriptor, F_RDADVISE, &part);
}

std::uint64_t count_pages(std::uint64_t length) noexcept { return (length + page_size() - 1) / page_size(); }

// Counts the pages of [offset, offset + length) that are in memory, by a mapping that nothing touches.
std::uint64_t count_cached(const file& source, std::uint64_t offset, std::size_t length, std::error_code& error) {
  const mapping part = mapping::map_to_read(source, offset, length, error);
  if (error) return 0;
  std::vector<char> pages(count_pages(length));
  make_call({call::status, source.descriptor(), offset, length}, error,
            [&](std::size_t) { return ::mincore(part.bytes().data(), length, pages.data()); });
  const auto is_cached = [](char page) { return (page & MINCORE_INCORE) != 0; };
  return error ? 0 : static_cast<std::uint64_t>(std::ranges::count_if(pages, is_cached));
}

}  // namespace

void file::set_direct(bool on, std::error_code& error) noexcept {
  error.clear();
  if (on == direct_) return;
  make_call({call::set_direct, descriptor_, 0, 0}, error,
            [&](std::size_t) { return ::fcntl(descriptor_, F_NOCACHE, on ? 1 : 0); });
  if (!error) direct_ = on;
}

// None is required: what does not begin at a page, or is less than one, the kernel copies through the page cache (XNU,
// bsd/vfs/vfs_cluster.c, cluster_write_direct).
std::optional<direct_limits> file::direct_alignment() const noexcept { return direct_limits{.memory = 1, .offset = 1}; }

// No call drops a part of a file; F_NOCACHE is for what comes, and set_direct() has it.
int give_advice(int descriptor, advice kind, std::uint64_t offset, std::uint64_t length) noexcept {
  switch (kind) {
    case advice::sequential:
      return ::fcntl(descriptor, F_RDAHEAD, 1);
    case advice::random:
      return ::fcntl(descriptor, F_RDAHEAD, 0);
    case advice::will_need:
      return read_ahead(descriptor, offset, length);
    case advice::dont_need:
    case advice::no_reuse:
      break;
  }
  return 0;
}

residency file::cached(std::error_code& error, std::uint64_t length) const {
  const std::uint64_t size = std::min(status(error).size, length);
  return error ? residency{} : cached_in(0, size, error);
}

residency file::cached_in(std::uint64_t offset, std::uint64_t length, std::error_code& error) const {
  constexpr std::uint64_t window = std::uint64_t{1} << 30;
  residency result{.pages = count_pages(length)};
  error.clear();
  for (std::uint64_t done = 0; done < length && !error; done += window)
    result.cached += count_cached(*this, offset + done, std::min(window, length - done), error);
  return error ? residency{} : result;
}

std::uint64_t file::unwritten(std::uint64_t /*offset*/, std::uint64_t /*length*/,
                              std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::function_not_supported);
  return 0;
}

}  // namespace freshet::detail::os

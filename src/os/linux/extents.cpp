// The seam on Linux: where files lie on their devices.
#include <linux/fiemap.h>
#include <linux/fs.h>

#include <cstring>

#include "src/os/file.hpp"
#include "src/os/linux/ioctl.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

// The extents of one FIEMAP call: the kernel's header followed by its flexible array.
class extent_batch {
 public:
  // Requests the extents from `start` on; returns how many there are.
  std::size_t ask(int descriptor, std::uint64_t start, std::error_code& error) noexcept {
    fiemap request;  // NOLINT(cppcoreguidelines-pro-type-member-init): clang rejects {} for its array of no elements
    std::memset(&request, 0, sizeof request);
    request.fm_start = start;
    request.fm_length = FIEMAP_MAX_OFFSET - start;
    request.fm_extent_count = room;
    std::memcpy(memory_, &request, sizeof request);
    make_call({call::status, descriptor, start, 0}, error,
              [&](std::size_t) { return ask_ioctl(descriptor, FS_IOC_FIEMAP, memory_); });
    if (error) return 0;
    std::memcpy(&request, memory_, sizeof request);
    return request.fm_mapped_extents;
  }

  [[nodiscard]] fiemap_extent at(std::size_t index) const noexcept {
    fiemap_extent extent{};
    std::memcpy(&extent, memory_ + sizeof(fiemap) + index * sizeof extent, sizeof extent);
    return extent;
  }

 private:
  static constexpr std::uint32_t room = 128;
  alignas(fiemap) std::byte memory_[sizeof(fiemap) + room * sizeof(fiemap_extent)];
};

}  // namespace

std::vector<extent> file::extents(std::error_code& error) const {
  std::vector<extent> all;
  extent_batch batch{};
  std::uint64_t start = 0;
  for (;;) {
    const std::size_t count = batch.ask(descriptor_, start, error);
    if (count == 0) return all;
    for (std::size_t i = 0; i < count; ++i) {
      const fiemap_extent each = batch.at(i);
      start = each.fe_logical + each.fe_length;
      const bool has_place = (each.fe_flags & FIEMAP_EXTENT_UNKNOWN) == 0;
      const bool unwritten = (each.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0;
      if (has_place) all.push_back({each.fe_logical, each.fe_physical, each.fe_length, unwritten});
      if ((each.fe_flags & FIEMAP_EXTENT_LAST) != 0) return all;
    }
  }
}

}  // namespace freshet::detail::os

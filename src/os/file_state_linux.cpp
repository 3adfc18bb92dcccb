// The seam on Linux: what a file says about itself.
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "src/os/file.hpp"
#include "src/os/statx_linux.hpp"
#include "src/os/system_call.hpp"

namespace freshet::detail::os {
namespace {

file_kind kind_of(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return file_kind::regular;
    case S_IFDIR:
      return file_kind::directory;
    case S_IFIFO:
      return file_kind::pipe;
    case S_IFSOCK:
      return file_kind::socket;
    case S_IFCHR:
      return file_kind::character_device;
    case S_IFBLK:
      return file_kind::block_device;
    default:
      return file_kind::other;
  }
}

file_status status_from(const struct stat& found) noexcept {
  return {.kind = kind_of(found.st_mode),
          .size = static_cast<std::uint64_t>(found.st_size),
          .allocated = static_cast<std::uint64_t>(found.st_blocks) * 512,
          .device = found.st_dev,
          .inode = found.st_ino,
          .modified = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

// One FIEMAP call's worth: the kernel's header with room for its flexible array behind it.
class extent_batch {
 public:
  // Asks for the extents from `start` on; returns how many came.
  std::size_t ask(int descriptor, std::uint64_t start, std::error_code& error) noexcept {
    fiemap question;  // NOLINT(cppcoreguidelines-pro-type-member-init): with {}, clang sees its array of no elements
    std::memset(&question, 0, sizeof question);
    question.fm_start = start;
    question.fm_length = FIEMAP_MAX_OFFSET - start;
    question.fm_extent_count = room;
    std::memcpy(memory_, &question, sizeof question);
    make_call({call::status, descriptor, start, 0}, error,
              [&](std::size_t) { return ::ioctl(descriptor, FS_IOC_FIEMAP, memory_); });
    if (error) return 0;
    std::memcpy(&question, memory_, sizeof question);
    return question.fm_mapped_extents;
  }

  [[nodiscard]] fiemap_extent at(std::size_t index) const noexcept {
    fiemap_extent found{};
    std::memcpy(&found, memory_ + sizeof(fiemap) + index * sizeof found, sizeof found);
    return found;
  }

 private:
  static constexpr std::uint32_t room = 128;
  alignas(fiemap) std::byte memory_[sizeof(fiemap) + room * sizeof(fiemap_extent)];
};

constexpr long cachestat_number = 451;  // Linux 6.5, younger than the headers of Debian 12

struct cachestat_range {
  std::uint64_t offset;
  std::uint64_t length;  // 0: to the end
};

struct cachestat_answer {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

residency ask_cachestat(int descriptor, std::uint64_t size, std::uint64_t pages, std::error_code& error) noexcept {
  cachestat_range range{0, size};
  cachestat_answer answer{};
  make_call({call::status, descriptor, 0, 0}, error,
            [&](std::size_t) { return ::syscall(cachestat_number, descriptor, &range, &answer, 0U); });
  // Large folios reach beyond the file's end; a file cannot be more than wholly cached.
  return {pages, std::min(answer.cached, pages), answer.dirty, answer.writeback};
}

// Pages of [offset, offset + length) that are in memory.
std::uint64_t ask_mincore_once(int descriptor, std::uint64_t offset, std::size_t length, std::error_code& error) {
  void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    error = last_error();
    return 0;
  }
  std::vector<unsigned char> in_memory((length + page_size() - 1) / page_size());
  make_call({call::status, descriptor, offset, length}, error,
            [&](std::size_t) { return ::mincore(memory, length, in_memory.data()); });
  ::munmap(memory, length);
  return error ? 0 : static_cast<std::uint64_t>(std::ranges::count_if(in_memory, [](unsigned char page) {
    return (page & 1) != 0;
  }));
}

residency ask_mincore(int descriptor, std::uint64_t size, std::uint64_t pages, std::error_code& error) {
  constexpr std::uint64_t window = std::uint64_t{1} << 30;
  residency found{pages, 0, 0, 0};
  error.clear();
  for (std::uint64_t offset = 0; offset < size && !error; offset += window) {
    found.cached +=
        ask_mincore_once(descriptor, offset, static_cast<std::size_t>(std::min(window, size - offset)), error);
  }
  return found;
}

// What kernels and sandboxes without cachestat say.
bool lacks_cachestat(std::error_code error) noexcept {
  return error == std::errc::function_not_supported || error == std::errc::operation_not_supported ||
         error == std::errc::operation_not_permitted;
}

// Whom mincore tells the truth. To others it says that all is in memory (Linux 5.2).
bool is_owner_or_writes(int descriptor) noexcept {
  struct stat found {};
  return (::fstat(descriptor, &found) == 0 && found.st_uid == ::geteuid()) ||
         ::faccessat(descriptor, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

}  // namespace

file_status file::status(std::error_code& error) const noexcept {
  struct stat found {};
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) { return ::fstat(descriptor_, &found); });
  return error ? file_status{} : status_from(found);
}

file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept {
  struct stat found {};
  make_call({call::status, -1, 0, 0}, error, [&](std::size_t) { return ::stat(path.c_str(), &found); });
  return error ? file_status{} : status_from(found);
}

// By the effective user, as opening is.
void require_readable(const std::filesystem::path& path, std::error_code& error) noexcept {
  make_call({call::status, -1, 0, 0}, error,
            [&](std::size_t) { return ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS); });
}

std::optional<direct_limits> file::direct_alignment() const noexcept {
  if (ask_about(call::status, descriptor_)) return std::nullopt;
  const statx_answer answer = ask_statx(descriptor_, statx_direct_alignment);
  if ((answer.mask & statx_direct_alignment) == 0) return std::nullopt;
  return direct_limits{answer.direct_memory_alignment, answer.direct_offset_alignment};
}

std::vector<extent> file::extents(std::error_code& error) const {
  std::vector<extent> all;
  extent_batch batch{};
  std::uint64_t start = 0;
  for (;;) {
    const std::size_t count = batch.ask(descriptor_, start, error);
    if (count == 0) return all;
    for (std::size_t i = 0; i < count; ++i) {
      const fiemap_extent found = batch.at(i);
      start = found.fe_logical + found.fe_length;
      const bool has_place = (found.fe_flags & FIEMAP_EXTENT_UNKNOWN) == 0;
      const bool unwritten = (found.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0;
      if (has_place) all.push_back({found.fe_logical, found.fe_physical, found.fe_length, unwritten});
      if ((found.fe_flags & FIEMAP_EXTENT_LAST) != 0) return all;
    }
  }
}

residency file::cached(std::error_code& error, std::uint64_t length) const {
  const std::uint64_t size = std::min(status(error).size, length);
  if (error) return {};
  const std::uint64_t pages = (size + page_size() - 1) / page_size();
  const residency found = ask_cachestat(descriptor_, size, pages, error);
  if (!lacks_cachestat(error)) return found;
  if (is_owner_or_writes(descriptor_)) return ask_mincore(descriptor_, size, pages, error);
  error = std::make_error_code(std::errc::operation_not_permitted);
  return {};
}

}  // namespace freshet::detail::os

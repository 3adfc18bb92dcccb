// The seam on Linux: the status of files.
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

#include "src/os/directory.hpp"
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

file_status to_status(const struct stat& entry) noexcept {
  return {.kind = kind_of(entry.st_mode),
          .size = static_cast<std::uint64_t>(entry.st_size),
          .allocated = static_cast<std::uint64_t>(entry.st_blocks) * 512,
          .device = entry.st_dev,
          .inode = entry.st_ino,
          .modified = std::int64_t{entry.st_mtim.tv_sec} * 1'000'000'000 + entry.st_mtim.tv_nsec,
          .links = entry.st_nlink,
          .is_own = entry.st_uid == ::geteuid()};
}

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
              [&](std::size_t) { return ::ioctl(descriptor, FS_IOC_FIEMAP, memory_); });
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

cachestat_answer ask_cachestat(int descriptor, cachestat_range range, std::error_code& error) noexcept {
  cachestat_answer answer{};
  make_call({call::status, descriptor, 0, 0}, error,
            [&](std::size_t) { return ::syscall(cachestat_number, descriptor, &range, &answer, 0U); });
  if (!error && answer.cached == 0 && is_overlay(file::wrap(descriptor, false)))
    error = std::make_error_code(std::errc::function_not_supported);
  return answer;
}

std::uint64_t count_pages(std::uint64_t length) noexcept { return (length + page_size() - 1) / page_size(); }

residency count_cached(int descriptor, cachestat_range range, std::error_code& error) noexcept {
  const cachestat_answer answer = ask_cachestat(descriptor, range, error);
  const std::uint64_t pages = count_pages(range.length);
  // Large folios extend beyond the file's end, but no more than the whole range can be cached.
  return {pages, std::min(answer.cached, pages), answer.dirty, answer.writeback};
}

// Counts the pages of [offset, offset + length) that are in memory.
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

residency ask_mincore(int descriptor, cachestat_range range, std::error_code& error) {
  constexpr std::uint64_t window = std::uint64_t{1} << 30;
  residency result{count_pages(range.length), 0, 0, 0};
  error.clear();
  for (std::uint64_t done = 0; done < range.length && !error; done += window) {
    const auto length = static_cast<std::size_t>(std::min(window, range.length - done));
    result.cached += ask_mincore_once(descriptor, range.offset + done, length, error);
  }
  return result;
}

// How kernels and sandboxes without cachestat refuse it.
bool lacks_cachestat(std::error_code error) noexcept {
  return error == std::errc::function_not_supported || error == std::errc::operation_not_supported ||
         error == std::errc::operation_not_permitted;
}

// Whether mincore tells this user the truth. It tells others that everything is in memory (Linux 5.2).
bool is_owner_or_writes(int descriptor) noexcept {
  struct stat entry {};
  return (::fstat(descriptor, &entry) == 0 && entry.st_uid == ::geteuid()) ||
         ::faccessat(descriptor, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

}  // namespace

file_status directory::status_of(const std::string& name, std::error_code& error) const noexcept {
  struct stat entry {};
  make_call({call::status, descriptor_, 0, 0}, error,
            [&](std::size_t) { return ::fstatat(descriptor_, name.c_str(), &entry, AT_SYMLINK_NOFOLLOW); });
  return error ? file_status{} : to_status(entry);
}

file_status file::status(std::error_code& error) const noexcept {
  struct stat entry {};
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) { return ::fstat(descriptor_, &entry); });
  return error ? file_status{} : to_status(entry);
}

file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept {
  struct stat entry {};
  make_call({call::status, -1, 0, 0}, error, [&](std::size_t) { return ::stat(path.c_str(), &entry); });
  return error ? file_status{} : to_status(entry);
}

// For the effective user, like open().
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
      const fiemap_extent each = batch.at(i);
      start = each.fe_logical + each.fe_length;
      const bool has_place = (each.fe_flags & FIEMAP_EXTENT_UNKNOWN) == 0;
      const bool unwritten = (each.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0;
      if (has_place) all.push_back({each.fe_logical, each.fe_physical, each.fe_length, unwritten});
      if ((each.fe_flags & FIEMAP_EXTENT_LAST) != 0) return all;
    }
  }
}

residency file::cached(std::error_code& error, std::uint64_t length) const {
  const std::uint64_t size = std::min(status(error).size, length);
  return error ? residency{} : cached_in(0, size, error);
}

residency file::cached_in(std::uint64_t offset, std::uint64_t length, std::error_code& error) const {
  const residency result = count_cached(descriptor_, {offset, length}, error);
  if (!lacks_cachestat(error)) return result;
  if (is_owner_or_writes(descriptor_)) return ask_mincore(descriptor_, {offset, length}, error);
  error = std::make_error_code(std::errc::operation_not_permitted);
  return {};
}

std::uint64_t file::unwritten(std::uint64_t offset, std::uint64_t length, std::error_code& error) const noexcept {
  if (length == 0) return 0;  // would mean: up to the end
  const cachestat_answer answer = ask_cachestat(descriptor_, {offset, length}, error);
  if (lacks_cachestat(error)) error = std::make_error_code(std::errc::function_not_supported);
  return error ? 0 : (answer.dirty + answer.writeback) * page_size();
}

}  // namespace freshet::detail::os

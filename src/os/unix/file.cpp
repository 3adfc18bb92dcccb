// The seam by POSIX.1-2008: opening, moving bytes, size, durability, names.
#include "src/os/file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

// Empty where the system has no such files.
std::optional<int> open_flags(const open_request& request) noexcept {
  int flags = O_CLOEXEC;
  flags |= request.write ? (request.read ? O_RDWR : O_WRONLY) : O_RDONLY;
  if (request.append) flags |= O_APPEND;
  if (request.synchronous) flags |= O_DSYNC;
  if (!request.follow_links) flags |= O_NOFOLLOW;
  switch (request.creation) {
    case open_request::disposition::existing:
      return flags;
    case open_request::disposition::create:
      return flags | O_CREAT;
    case open_request::disposition::truncate:
      return flags | O_CREAT | O_TRUNC;
    case open_request::disposition::create_new:
      return flags | O_CREAT | O_EXCL;
    case open_request::disposition::unnamed:
      if (const std::optional<int> unnamed = unnamed_file_flags()) return flags | *unnamed;
      return {};
  }
  return flags;
}

// What one call moves at most on Linux. macOS refuses more than INT_MAX bytes (EINVAL) instead of moving fewer.
constexpr std::size_t largest_transfer = 0x7ffff000;

constexpr std::size_t at_once(std::size_t length) noexcept { return std::min(length, largest_transfer); }

// The system's type does not promise that it leaves the bytes as they are.
iovec part_to_write(std::span<const std::byte> bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

file file::open(const std::string& path, const open_request& request, std::error_code& error) {
  return open_at(AT_FDCWD, path, request, error);
}

file file::open_at(int directory, const std::string& path, const open_request& request, std::error_code& error) {
  file opened;
  const std::optional<int> flags = open_flags(request);
  do {
    opened.descriptor_ = make_call({call::open, -1, 0, 0}, error, [&](std::size_t) {
      return flags ? ::openat(directory, path.c_str(), *flags, static_cast<mode_t>(request.permissions))
                   : refuse_call();
    });
  } while (error == std::errc::interrupted);
  opened.owned_ = opened.is_open();
  return opened;
}

file file::wrap(native_handle_type descriptor, bool owned) noexcept {
  file wrapped;
  wrapped.descriptor_ = descriptor;
  wrapped.owned_ = owned;
  const int flags = status_flags(descriptor);
  wrapped.direct_ = flags >= 0 && bypasses_page_cache(flags);
  return wrapped;
}

void file::close(std::error_code& error) noexcept {
  error.clear();
  const int descriptor = std::exchange(descriptor_, -1);
  direct_ = false;
  if (descriptor < 0 || !std::exchange(owned_, false)) return;
  error = ask_about(call::close, descriptor);
  if (::close(descriptor) < 0 && !error) error = last_error();
  // Linux has released the descriptor before a signal can interrupt close(): nothing is left to finish or report.
  if (error == std::errc::interrupted) error.clear();
}

void file::replace(const file& other, std::error_code& error) noexcept {
  make_call({call::duplicate, descriptor_, 0, 0}, error,
            [&](std::size_t) { return duplicate_onto(descriptor_, other.descriptor_); });
  if (!error) direct_ = other.direct_;
}

std::size_t file::write(std::span<const std::byte> bytes, std::error_code& error) noexcept {
  return bytes_moved(make_call({call::write, descriptor_, 0, bytes.size()}, error, [&](std::size_t length) {
    return ::write(descriptor_, bytes.data(), at_once(length));
  }));
}

std::size_t file::write(std::span<const std::byte> first, std::span<const std::byte> second,
                        std::error_code& error) noexcept {
  const std::size_t both = first.size() + second.size();
  return bytes_moved(make_call({call::write, descriptor_, 0, both}, error, [&](std::size_t length) {
    const std::size_t total = at_once(length);
    const std::size_t from_first = std::min(first.size(), total);
    const std::array<iovec, 2> parts{part_to_write(first.first(from_first)),
                                     part_to_write(second.first(total - from_first))};
    return ::writev(descriptor_, parts.data(), static_cast<int>(parts.size()));
  }));
}

std::size_t file::write_at(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
  return bytes_moved(make_call({call::write_at, descriptor_, offset, bytes.size()}, error, [&](std::size_t length) {
    return ::pwrite(descriptor_, bytes.data(), at_once(length), static_cast<off_t>(offset));
  }));
}

std::size_t file::read(std::span<std::byte> bytes, std::error_code& error) noexcept {
  return bytes_moved(make_call({call::read, descriptor_, 0, bytes.size()}, error,
                               [&](std::size_t length) { return ::read(descriptor_, bytes.data(), at_once(length)); }));
}

std::size_t file::read_at(std::span<std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
  return bytes_moved(make_call({call::read_at, descriptor_, offset, bytes.size()}, error, [&](std::size_t length) {
    return ::pread(descriptor_, bytes.data(), at_once(length), static_cast<off_t>(offset));
  }));
}

std::uint64_t file::ready(std::error_code& error) const noexcept {
  std::uint64_t bytes = 0;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) { return count_ready(descriptor_, bytes); });
  return bytes;
}

std::uint64_t file::position(std::error_code& error) const noexcept {
  return static_cast<std::uint64_t>(make_call({call::status, descriptor_, 0, 0}, error,
                                              [&](std::size_t) { return ::lseek(descriptor_, 0, SEEK_CUR); }));
}

void file::set_position(std::uint64_t offset, std::error_code& error) noexcept {
  make_call({call::seek, descriptor_, offset, 0}, error,
            [&](std::size_t) { return ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET); });
}

void file::set_position_to_end(std::error_code& error) noexcept {
  make_call({call::seek, descriptor_, 0, 0}, error, [&](std::size_t) { return ::lseek(descriptor_, 0, SEEK_END); });
}

void file::set_size(std::uint64_t size, std::error_code& error) noexcept {
  make_call({call::set_size, descriptor_, size, 0}, error,
            [&](std::size_t) { return ::ftruncate(descriptor_, static_cast<off_t>(size)); });
}

void file::sync_data(std::error_code& error) noexcept {
  make_call({call::sync_data, descriptor_, 0, 0}, error, [&](std::size_t) { return sync_data_to_device(descriptor_); });
}

void file::sync(std::error_code& error) noexcept {
  make_call({call::sync_file, descriptor_, 0, 0}, error, [&](std::size_t) { return sync_to_device(descriptor_); });
}

void file::advise(advice kind, std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::advise, descriptor_, offset, length}, error,
            [&](std::size_t) { return give_advice(descriptor_, kind, offset, length); });
}

void file::lock(std::error_code& error) const noexcept {
  make_call({call::lock, descriptor_, 0, 0}, error, [&](std::size_t) { return try_lock(descriptor_); });
}

void file::unlock(std::error_code& error) const noexcept {
  make_call({call::lock, descriptor_, 0, 0}, error, [&](std::size_t) { return release_lock(descriptor_); });
}

bool file::appends() const noexcept {
  const int flags = status_flags(descriptor_);
  return flags >= 0 && (flags & O_APPEND) != 0;
}

bool file::reads_and_writes() const noexcept {
  const int flags = status_flags(descriptor_);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

bool file::is_readable() const noexcept {
  const int flags = status_flags(descriptor_);
  return flags < 0 ? errno != EBADF : (flags & O_ACCMODE) != O_WRONLY;
}

bool file::is_writable() const noexcept {
  const int flags = status_flags(descriptor_);
  return flags < 0 ? errno != EBADF : (flags & O_ACCMODE) != O_RDONLY;
}

void rename(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& error) noexcept {
  make_call({call::rename, -1, 0, 0}, error, [&](std::size_t) { return ::rename(from.c_str(), to.c_str()); });
}

void remove(const std::filesystem::path& path, std::error_code& error) noexcept {
  make_call({call::remove, -1, 0, 0}, error, [&](std::size_t) { return ::unlink(path.c_str()); });
}

void sync_file_system(const file& inside, std::error_code& error) noexcept {
  make_call({call::sync_file, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return sync_whole_file_system(inside.descriptor()); });
}

}  // namespace freshet::detail::os

// The seam by Windows: opening, moving bytes, size, durability.
#include "src/os/file.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

ACCESS_MASK access_for(const open_request& request) noexcept {
  constexpr ACCESS_MASK append_only = FILE_GENERIC_WRITE & ~static_cast<ACCESS_MASK>(FILE_WRITE_DATA);
  ACCESS_MASK access = FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
  if (request.read) access |= FILE_GENERIC_READ;
  if (request.delete_on_close) access |= DELETE;
  if (request.write) access |= request.append ? append_only : FILE_GENERIC_WRITE;
  return access;
}

ULONG options_for(const open_request& request) noexcept {
  ULONG options = one_at_a_time;
  if (request.write) options |= FILE_NON_DIRECTORY_FILE;
  if (request.synchronous) options |= FILE_WRITE_THROUGH;
  if (request.random) options |= FILE_RANDOM_ACCESS;
  if (request.once) options |= FILE_SEQUENTIAL_ONLY;
  if (request.delete_on_close) options |= FILE_DELETE_ON_CLOSE;
  if (!request.follow_links) options |= FILE_OPEN_REPARSE_POINT;
  return options;
}

// A file that is to be emptied is opened first: to overwrite it would take its attributes, or be refused for them.
ULONG disposition_for(const open_request& request) noexcept {
  switch (request.creation) {
    case open_request::disposition::existing:
      return FILE_OPEN;
    case open_request::disposition::create_new:
      return FILE_CREATE;
    default:
      return FILE_OPEN_IF;
  }
}

OVERLAPPED place_of_transfer(std::uint64_t offset) noexcept {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// One call takes no more; a multiple of all alignments.
DWORD clamped(std::size_t length) noexcept {
  return static_cast<DWORD>(std::min<std::size_t>(length, std::size_t{1} << 30));
}

// Windows moves the position of a pipe or a console as it is told, and transfers ignore it.
bool has_position(HANDLE handle) noexcept {
  DWORD mode = 0;
  const DWORD type = ::GetFileType(handle);
  return type != FILE_TYPE_PIPE && (type != FILE_TYPE_CHAR || ::GetConsoleMode(handle, &mode) == 0);
}

bool move_position(HANDLE handle, std::int64_t distance, DWORD from, std::uint64_t& position,
                   std::error_code& error) noexcept {
  LARGE_INTEGER reached{};
  LARGE_INTEGER wanted{};
  wanted.QuadPart = distance;
  if (!has_position(handle)) {
    error = std::make_error_code(std::errc::invalid_seek);
    return false;
  }
  error = error_unless(::SetFilePointerEx(handle, wanted, &reached, from));
  if (error && ::GetFileType(handle) != FILE_TYPE_DISK && error != std::errc::bad_file_descriptor)
    error = std::make_error_code(std::errc::invalid_seek);
  position = static_cast<std::uint64_t>(reached.QuadPart);
  return !error;
}

// Calls `transfer` with a handle whose transfers at an offset move its position, and sets that back: on other systems
// they leave it alone.
template <typename Transfer>
std::error_code at_offset(HANDLE handle, Transfer transfer) noexcept {
  std::error_code error;
  std::uint64_t position = 0;
  if (!move_position(handle, 0, FILE_CURRENT, position, error)) return error;
  const std::error_code outcome = transfer();
  LARGE_INTEGER before{};
  before.QuadPart = static_cast<LONGLONG>(position);
  ::SetFilePointerEx(handle, before, nullptr, FILE_BEGIN);
  return outcome;
}

// Transfers of a handle that a program opened to overlap (FILE_FLAG_OVERLAPPED) go on when the call has returned.
BOOL finish(BOOL succeeded, HANDLE handle, OVERLAPPED* place, DWORD& moved) noexcept {
  if (succeeded != 0 || place == nullptr || ::GetLastError() != ERROR_IO_PENDING) return succeeded;
  do succeeded = ::GetOverlappedResult(handle, place, &moved, TRUE);
  while (succeeded == 0 && ::GetLastError() == ERROR_IO_INCOMPLETE);  // another transfer of the handle has ended
  return succeeded;
}

std::error_code write_bytes(HANDLE handle, const std::byte* bytes, std::size_t length, OVERLAPPED* place,
                            DWORD& written) noexcept {
  const BOOL succeeded = ::WriteFile(handle, bytes, clamped(length), &written, place);
  return error_unless(finish(succeeded, handle, place, written));
}

// The end of a file, and of a pipe whose writers are gone, is no error.
std::error_code read_bytes(HANDLE handle, std::byte* into, std::size_t length, OVERLAPPED* place, DWORD& got) noexcept {
  const BOOL succeeded = ::ReadFile(handle, into, clamped(length), &got, place);
  if (finish(succeeded, handle, place, got) != 0) return {};
  const DWORD number = ::GetLastError();
  if (number == ERROR_HANDLE_EOF || number == ERROR_BROKEN_PIPE) return {};
  FILE_STANDARD_INFO about{};
  const bool is_directory =
      ::GetFileInformationByHandleEx(handle, FileStandardInfo, &about, sizeof about) != 0 && about.Directory != 0;
  return is_directory ? std::make_error_code(std::errc::is_a_directory) : to_error(number);
}

std::error_code resize(HANDLE handle, std::uint64_t size) noexcept {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return error_unless(::SetFileInformationByHandle(handle, FileEndOfFileInfo, &end, sizeof end));
}

// Not every file system has such files: there, what is left out takes space.
void make_sparse(HANDLE handle) noexcept {
  DWORD ignored = 0;
  ::DeviceIoControl(handle, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &ignored, nullptr);
}

// A handle that may not write may not flush either. What it could flush, others have written: one that may write does
// it.
std::error_code flush(HANDLE handle) noexcept {
  const std::error_code error = error_unless(::FlushFileBuffers(handle));
  if (error != std::errc::permission_denied) return error;
  std::error_code reopening;
  const owned_handle writable =
      open_handle(handle, {}, {.access = FILE_GENERIC_WRITE, .options = one_at_a_time}, reopening);
  return writable ? error_unless(::FlushFileBuffers(writable.get())) : error;
}

}  // namespace

file file::open(const native_string& path, const open_request& request, std::error_code& error) {
  return open_at(nullptr, path, request, error);
}

file file::open_at(native_handle_type directory, const native_string& path, const open_request& request,
                   std::error_code& error) {
  file opened;
  if (request.creation == open_request::disposition::unnamed) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return opened;
  }
  owned_handle handle;
  bool existed = false;
  const handle_request wanted{.access = access_for(request),
                              .disposition = disposition_for(request),
                              .options = options_for(request),
                              .attributes = request.temporary ? static_cast<ULONG>(FILE_ATTRIBUTE_TEMPORARY)
                                                              : static_cast<ULONG>(FILE_ATTRIBUTE_NORMAL)};
  const auto try_once = [&](std::size_t) {
    std::error_code failure;
    handle = open_handle(directory, path, wanted, failure, &existed);
    if (!failure && !request.follow_links && is_link(handle.get()))
      failure = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (!failure && !existed && request.sparse) make_sparse(handle.get());
    if (!failure && existed && ::GetFileType(handle.get()) == FILE_TYPE_DISK &&
        request.creation == open_request::disposition::truncate)
      failure = resize(handle.get(), 0);
    return failure;
  };
  do make_call({call::open, no_native_handle, 0, 0}, error, try_once);
  while (error == std::errc::interrupted);
  if (error) return opened;
  opened.descriptor_ = handle.release();
  opened.owned_ = true;
  return opened;
}

file file::wrap(native_handle_type descriptor, bool owned) noexcept {
  file wrapped;
  wrapped.descriptor_ = descriptor;
  wrapped.owned_ = owned;
  return wrapped;
}

void file::close(std::error_code& error) noexcept {
  error.clear();
  direct_.close();
  const native_handle_type descriptor = std::exchange(descriptor_, no_native_handle);
  if (descriptor == no_native_handle || !std::exchange(owned_, false)) return;
  intercepted_call next{call::close, descriptor, 0, 0};
  error = ask_interceptor(next);
  if (::CloseHandle(descriptor) == 0 && !error) error = last_error();
  if (error == std::errc::interrupted) error.clear();  // the handle is gone
}

// The number of a handle cannot be made to mean another file.
void file::replace(const file& /*other*/, std::error_code& error) noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

std::size_t file::write(std::span<const std::byte> bytes, std::error_code& error) noexcept {
  DWORD written = 0;
  make_call({call::write, descriptor_, 0, bytes.size()}, error,
            [&](std::size_t length) { return write_bytes(descriptor_, bytes.data(), length, nullptr, written); });
  return written;
}

std::size_t file::write(std::span<const std::byte> first, std::span<const std::byte> second,
                        std::error_code& error) noexcept {
  return write(first.empty() ? second : first, error);
}

std::size_t file::write_at(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
  DWORD written = 0;
  make_call({call::write_at, descriptor_, offset, bytes.size()}, error, [&](std::size_t length) {
    OVERLAPPED place = place_of_transfer(offset);
    if (direct_) return write_bytes(direct_.get(), bytes.data(), length, &place, written);
    return at_offset(descriptor_, [&] { return write_bytes(descriptor_, bytes.data(), length, &place, written); });
  });
  return written;
}

std::size_t file::read(std::span<std::byte> bytes, std::error_code& error) noexcept {
  DWORD got = 0;
  make_call({call::read, descriptor_, 0, bytes.size()}, error,
            [&](std::size_t length) { return read_bytes(descriptor_, bytes.data(), length, nullptr, got); });
  return got;
}

std::size_t file::read_at(std::span<std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
  DWORD got = 0;
  make_call({call::read_at, descriptor_, offset, bytes.size()}, error, [&](std::size_t length) {
    OVERLAPPED place = place_of_transfer(offset);
    if (direct_) return read_bytes(direct_.get(), bytes.data(), length, &place, got);
    return at_offset(descriptor_, [&] { return read_bytes(descriptor_, bytes.data(), length, &place, got); });
  });
  return got;
}

std::uint64_t file::ready(std::error_code& error) const noexcept {
  DWORD bytes = 0;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) {
    return error_unless(::PeekNamedPipe(descriptor_, nullptr, 0, nullptr, &bytes, nullptr));
  });
  return bytes;
}

std::uint64_t file::position(std::error_code& error) const noexcept {
  std::uint64_t position = 0;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    move_position(descriptor_, 0, FILE_CURRENT, position, failure);
    return failure;
  });
  return position;
}

void file::set_position(std::uint64_t offset, std::error_code& error) noexcept {
  make_call({call::seek, descriptor_, offset, 0}, error, [&](std::size_t) {
    std::error_code failure;
    std::uint64_t reached = 0;
    move_position(descriptor_, static_cast<std::int64_t>(offset), FILE_BEGIN, reached, failure);
    return failure;
  });
}

void file::set_position_to_end(std::error_code& error) noexcept {
  make_call({call::seek, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    std::uint64_t reached = 0;
    move_position(descriptor_, 0, FILE_END, reached, failure);
    return failure;
  });
}

void file::set_size(std::uint64_t size, std::error_code& error) noexcept {
  make_call({call::set_size, descriptor_, size, 0}, error, [&](std::size_t) { return resize(descriptor_, size); });
}

bool may_be_device(const native_string& path) noexcept { return path.starts_with(LR"(\\.\)"); }

bool has_synchronous_writes() noexcept { return true; }

void file::sync_data(std::error_code& error) noexcept {
  make_call({call::sync_data, descriptor_, 0, 0}, error, [&](std::size_t) { return flush(descriptor_); });
}

void file::sync(std::error_code& error) noexcept {
  make_call({call::sync_file, descriptor_, 0, 0}, error, [&](std::size_t) { return flush(descriptor_); });
}

// Windows takes its hints when a file is opened (open_request), and none of them is needed.
void file::advise(advice /*kind*/, std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::advise, descriptor_, offset, length}, error, [](std::size_t) { return std::error_code{}; });
}

// Locks of Windows keep others from the bytes themselves: this one lies where no file has any.
constexpr std::uint64_t place_of_lock = std::uint64_t{0x7fffffff} << 32;

void file::lock(std::error_code& error) const noexcept {
  make_call({call::lock, descriptor_, 0, 0}, error, [&](std::size_t) {
    OVERLAPPED place = place_of_transfer(place_of_lock);
    return error_unless(
        ::LockFileEx(descriptor_, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place));
  });
}

void file::unlock(std::error_code& error) const noexcept {
  make_call({call::lock, descriptor_, 0, 0}, error, [&](std::size_t) {
    OVERLAPPED place = place_of_transfer(place_of_lock);
    return error_unless(::UnlockFileEx(descriptor_, 0, 1, 0, &place));
  });
}

bool file::appends() const noexcept {
  return (granted_access(descriptor_) & (FILE_WRITE_DATA | FILE_APPEND_DATA)) == FILE_APPEND_DATA;
}

bool file::reads_and_writes() const noexcept { return is_readable() && is_writable(); }

bool file::is_readable() const noexcept { return (granted_access(descriptor_) & FILE_READ_DATA) != 0; }

bool file::is_writable() const noexcept {
  return (granted_access(descriptor_) & (FILE_WRITE_DATA | FILE_APPEND_DATA)) != 0;
}

// Only an administrator may flush a volume.
void sync_file_system(const file& /*inside*/, std::error_code& error) noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

}  // namespace freshet::detail::os

void* freshet::detail::find_standard_handle(int number) noexcept {
  void* const handle = ::GetStdHandle(number == 0 ? STD_INPUT_HANDLE : STD_OUTPUT_HANDLE);
  return handle == INVALID_HANDLE_VALUE ? nullptr : handle;
}

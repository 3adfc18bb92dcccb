// The seam by Windows: the status of files.
#include "src/os/windows/status.hpp"

#include <cstring>

#include "src/os/directory.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

// Windows counts from 1601, in units of 100 ns.
constexpr std::int64_t epoch = 116'444'736'000'000'000;

file_kind kind_of(HANDLE handle, DWORD attributes) noexcept {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && is_link(handle)) return file_kind::other;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? file_kind::directory : file_kind::regular;
}

// 128 bits on ReFS, half of which is unused on the other file systems.
std::uint64_t number_of(const FILE_ID_128& id) noexcept {
  std::uint64_t halves[2];
  static_assert(sizeof halves == sizeof id.Identifier);
  std::memcpy(halves, id.Identifier, sizeof halves);
  return halves[0] ^ halves[1];
}

// FAT, exFAT and some servers have no FileIdInfo, nor FileAttributeTagInfo, which is asked of links alone.
bool ask_identity(HANDLE handle, file_status& status) noexcept {
  FILE_ID_INFO identity{};
  if (::GetFileInformationByHandleEx(handle, FileIdInfo, &identity, sizeof identity) != 0) {
    status.device = identity.VolumeSerialNumber;
    status.inode = number_of(identity.FileId);
    return true;
  }
  BY_HANDLE_FILE_INFORMATION older{};
  if (::GetFileInformationByHandle(handle, &older) == 0) return false;
  status.device = older.dwVolumeSerialNumber;
  status.inode = std::uint64_t{older.nFileIndexHigh} << 32 | older.nFileIndexLow;
  return true;
}

std::error_code ask_disk_file(HANDLE handle, file_status& status) noexcept {
  FILE_STANDARD_INFO sizes{};
  FILE_BASIC_INFO about{};
  if (::GetFileInformationByHandleEx(handle, FileStandardInfo, &sizes, sizeof sizes) == 0 ||
      ::GetFileInformationByHandleEx(handle, FileBasicInfo, &about, sizeof about) == 0 || !ask_identity(handle, status))
    return last_error();
  status.kind = kind_of(handle, about.FileAttributes);
  status.size = static_cast<std::uint64_t>(sizes.EndOfFile.QuadPart);
  status.allocated = static_cast<std::uint64_t>(sizes.AllocationSize.QuadPart);
  status.modified = (about.LastWriteTime.QuadPart - epoch) * 100;
  status.links = sizes.NumberOfLinks;
  status.is_own = belongs_to_this_user(handle);
  return {};
}

}  // namespace

std::error_code ask_status(native_handle_type handle, file_status& status) noexcept {
  status = {};
  ::SetLastError(NO_ERROR);
  switch (::GetFileType(handle)) {
    case FILE_TYPE_DISK:
      return ask_disk_file(handle, status);
    case FILE_TYPE_CHAR:
      status.kind = file_kind::character_device;
      return {};
    case FILE_TYPE_PIPE:
      status.kind = file_kind::pipe;
      return {};
    default:
      return ::GetLastError() == NO_ERROR ? std::error_code{} : last_error();
  }
}

file_status file::status(std::error_code& error) const noexcept {
  file_status status;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) { return ask_status(descriptor_, status); });
  return status;
}

file_status directory::status_of(const native_string& name, std::error_code& error) const noexcept {
  file_status status;
  make_call({call::status, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    const owned_handle entry = open_handle(
        descriptor_, name,
        {.access = FILE_READ_ATTRIBUTES | READ_CONTROL, .options = one_at_a_time | FILE_OPEN_REPARSE_POINT}, failure);
    return failure ? failure : ask_status(entry.get(), status);
  });
  return status;
}

file_status status_of(const std::filesystem::path& path, std::error_code& error) noexcept {
  file_status status;
  make_call({call::status, no_native_handle, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    const owned_handle entry = open_handle(
        nullptr, path.native(), {.access = FILE_READ_ATTRIBUTES | READ_CONTROL, .options = one_at_a_time}, failure);
    return failure ? failure : ask_status(entry.get(), status);
  });
  return status;
}

void require_readable(const std::filesystem::path& path, std::error_code& error) noexcept {
  make_call({call::status, no_native_handle, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    static_cast<void>(
        open_handle(nullptr, path.native(), {.access = FILE_READ_DATA, .options = one_at_a_time}, failure));
    return failure;
  });
}

}  // namespace freshet::detail::os

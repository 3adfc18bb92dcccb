// The seam by Windows: the status of files.
#include "src/os/windows/status.hpp"

#include <cstring>

#include "src/os/directory.hpp"
#include "src/os/windows/handles.hpp"

namespace freshet::detail::os {
namespace {

// Windows counts from 1601, in units of 100 ns.
constexpr std::int64_t epoch = 116'444'736'000'000'000;

file_kind kind_of(const FILE_ATTRIBUTE_TAG_INFO& about) noexcept {
  if ((about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && about.ReparseTag == IO_REPARSE_TAG_SYMLINK)
    return file_kind::other;
  return (about.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? file_kind::directory : file_kind::regular;
}

// 128 bits on ReFS, half of which is unused on the other file systems.
std::uint64_t number_of(const FILE_ID_128& id) noexcept {
  std::uint64_t halves[2];
  static_assert(sizeof halves == sizeof id.Identifier);
  std::memcpy(halves, id.Identifier, sizeof halves);
  return halves[0] ^ halves[1];
}

std::error_code ask_disk_file(HANDLE handle, file_status& status) noexcept {
  FILE_ATTRIBUTE_TAG_INFO about{};
  FILE_STANDARD_INFO sizes{};
  FILE_BASIC_INFO times{};
  FILE_ID_INFO identity{};
  const auto ask = [&](FILE_INFO_BY_HANDLE_CLASS kind, auto& answer) {
    return ::GetFileInformationByHandleEx(handle, kind, &answer, sizeof answer) != 0;
  };
  if (!ask(FileAttributeTagInfo, about) || !ask(FileStandardInfo, sizes) || !ask(FileBasicInfo, times) ||
      !ask(FileIdInfo, identity))
    return last_error();
  status.kind = kind_of(about);
  status.size = static_cast<std::uint64_t>(sizes.EndOfFile.QuadPart);
  status.allocated = static_cast<std::uint64_t>(sizes.AllocationSize.QuadPart);
  status.device = identity.VolumeSerialNumber;
  status.inode = number_of(identity.FileId);
  status.modified = (times.LastWriteTime.QuadPart - epoch) * 100;
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

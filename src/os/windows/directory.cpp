// Directories by Windows.
#include "src/os/directory.hpp"

#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "src/os/windows/handles.hpp"
#include "src/os/windows/paths.hpp"

namespace freshet::detail::os {
namespace {

constexpr ACCESS_MASK entries = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES;

// Appends the names in one answer of the system.
void take_names(const std::byte* answer, std::vector<native_string>& names) {
  for (;;) {
    const auto& entry = *reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(answer);
    const std::wstring_view name{entry.FileName, entry.FileNameLength / sizeof(wchar_t)};
    if (name != L"." && name != L"..") names.emplace_back(name);
    if (entry.NextEntryOffset == 0) return;
    answer += entry.NextEntryOffset;
  }
}

// A drive in verbatim form ("\\?\C:"), as the parent of a file in its root directory, is the volume; its root directory
// ends with a backslash.
std::wstring directory_name(const std::wstring& path) {
  if (path.empty()) return L".";
  return is_verbatim(path) && path.ends_with(L':') ? path + L'\\' : path;
}

}  // namespace

directory::~directory() {
  if (is_open()) ::CloseHandle(descriptor_);
}

// Only who may add files to a directory may flush it.
directory directory::open(const std::filesystem::path& path, std::error_code& error) {
  const std::wstring name = directory_name(path.native());
  directory opened;
  for (const ACCESS_MASK access :
       {entries | FILE_ADD_FILE, entries, ACCESS_MASK{FILE_TRAVERSE | FILE_READ_ATTRIBUTES}}) {
    make_call({call::open_directory, no_native_handle, 0, 0}, error, [&](std::size_t) {
      std::error_code failure;
      opened.descriptor_ =
          open_handle(nullptr, name, {.access = access, .options = one_at_a_time | FILE_DIRECTORY_FILE}, failure)
              .release();
      return failure;
    });
    if (error != std::errc::permission_denied) break;
  }
  return opened;
}

directory directory::containing(const file& inside, const native_string& path, std::error_code& error) noexcept try {
  std::filesystem::path current = current_path(inside.descriptor());
  if (current.empty()) current = path;
  return open(current.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

file directory::open_file(const native_string& name, const open_request& request, std::error_code& error) const {
  return file::open_at(descriptor_, name, request, error);
}

// Through a handle of its own, because reading moves its position.
std::vector<native_string> directory::names(std::error_code& error) const {
  constexpr std::size_t answer_size = std::size_t{64} << 10;
  std::vector<native_string> result;
  owned_handle own;
  make_call({call::open_directory, descriptor_, 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    own = open_handle(descriptor_, {}, {.access = FILE_LIST_DIRECTORY, .options = one_at_a_time | FILE_DIRECTORY_FILE},
                      failure);
    return failure;
  });
  if (error) return result;
  const std::unique_ptr<std::byte[]> answer{new std::byte[answer_size]};
  while (::GetFileInformationByHandleEx(own.get(), FileIdBothDirectoryInfo, answer.get(), answer_size) != 0)
    take_names(answer.get(), result);
  const DWORD end = ::GetLastError();  // an empty root directory has not even "." and ".."
  if (end != ERROR_NO_MORE_FILES && end != ERROR_FILE_NOT_FOUND) error = to_error(end);
  return result;
}

// Some file systems have no directories that can be flushed, and say so in either way.
void directory::sync(std::error_code& error) const noexcept {
  make_call({call::sync_directory, descriptor_, 0, 0}, error,
            [&](std::size_t) { return error_unless(::FlushFileBuffers(descriptor_)); });
  if (error == std::errc::operation_not_supported || error == std::errc::invalid_argument) error.clear();
}

void directory::sync_file_system(std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

native_string entry_name(const std::filesystem::path& path) {
  std::wstring name = path.filename().native();
  if (!is_verbatim(path.native())) name.resize(name.find_last_not_of(L". ") + 1);
  return name;
}

}  // namespace freshet::detail::os

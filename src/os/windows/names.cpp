#include "src/os/windows/names.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>

#include "src/os/directory.hpp"
#include "src/os/windows/paths.hpp"

namespace freshet::detail::os {
namespace {

// FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION, old and new: what is a boolean in the old ones are flags in the
// new.
struct name_information {
  ULONG flags;
  HANDLE root;
  ULONG length;
  wchar_t name[1];
};
constexpr ULONG replace_if_exists = 1;
constexpr ULONG posix_semantics = 2;
constexpr ULONG replace_readonly = 0x40;
constexpr ULONG disposition_delete = 1;
constexpr ULONG ignore_readonly = 0x10;

NTSTATUS set_name(HANDLE file, HANDLE root, const std::wstring& name, ULONG flags, int kind) noexcept {
  const std::size_t bytes = name.size() * sizeof(wchar_t);
  const std::size_t size = sizeof(name_information) + bytes;
  const std::unique_ptr<std::byte[]> memory{new (std::nothrow) std::byte[size]{}};
  if (memory == nullptr) return nt::no_memory;
  auto* const wanted = new (memory.get()) name_information{flags, root, static_cast<ULONG>(bytes), {}};
  std::memcpy(memory.get() + offsetof(name_information, name), name.data(), bytes);
  IO_STATUS_BLOCK outcome{};
  return ::NtSetInformationFile(file, &outcome, wanted, static_cast<ULONG>(size), nt::file_class(kind));
}

// Servers refuse a directory beside the name, which need not be there: a name alone is one in the file's own directory.
NTSTATUS set_name_beside(HANDLE file, HANDLE root, const std::wstring& name, ULONG flags, int kind) noexcept {
  const NTSTATUS status = set_name(file, root, name, flags, kind);
  return root != nullptr && nt::is_unknown(status) ? set_name(file, nullptr, name, flags, kind) : status;
}

// A path in the form that the calls below take; the name of an entry as it is.
template <typename Use>
std::error_code with_native_name(HANDLE root, const std::wstring& name, Use use) noexcept try {
  if (root != nullptr) return use(name);
  std::error_code malformed;
  const std::wstring path = to_nt_path(name, malformed);
  return malformed ? malformed : use(path);
} catch (const std::bad_alloc&) {
  return std::make_error_code(std::errc::not_enough_memory);
}

std::error_code with_names_of(HANDLE root, const std::wstring& name, std::error_code (*change)(HANDLE, const void*),
                              const void* how) noexcept {
  std::error_code failure;
  const owned_handle entry =
      open_handle(root, name, {.access = change_names, .options = one_at_a_time | FILE_OPEN_REPARSE_POINT}, failure);
  return failure ? failure : change(entry.get(), how);
}

struct target_name {
  HANDLE root;
  const std::wstring& name;
};

std::error_code rename_to(HANDLE file, const void* how) {
  const auto& to = *static_cast<const target_name*>(how);
  return rename_open(file, to.root, to.name, true);
}

std::error_code remove_it(HANDLE file, const void* /*how*/) { return remove_open(file); }

}  // namespace

std::error_code rename_open(HANDLE file, HANDLE root, const std::wstring& to, bool replaces) noexcept {
  return with_native_name(root, to, [&](const std::wstring& name) {
    const ULONG replace = replaces ? replace_if_exists : 0;
    const ULONG modern = replace | posix_semantics;
    NTSTATUS status = set_name_beside(file, root, name, modern | replace_readonly, nt::rename_information_ex);
    if (nt::is_unknown(status)) status = set_name_beside(file, root, name, modern, nt::rename_information_ex);
    if (nt::is_unknown(status)) status = set_name_beside(file, root, name, replace, nt::rename_information);
    return status_error(status);
  });
}

std::error_code link_open(HANDLE file, HANDLE root, const std::wstring& to) noexcept {
  return with_native_name(root, to, [&](const std::wstring& name) {
    const NTSTATUS status = set_name_beside(file, root, name, 0, nt::link_information);
    return nt::is_unknown(status) ? std::make_error_code(std::errc::operation_not_supported) : status_error(status);
  });
}

std::error_code remove_open(HANDLE file) noexcept {
  // Windows 10 has the second one from 1709 on, the first one from 1809 on.
  for (const ULONG modern : {posix_semantics | ignore_readonly, posix_semantics}) {
    IO_STATUS_BLOCK outcome{};
    ULONG flags = disposition_delete | modern;
    const NTSTATUS status =
        ::NtSetInformationFile(file, &outcome, &flags, sizeof flags, nt::file_class(nt::disposition_information_ex));
    if (!nt::is_unknown(status)) return status_error(status);
  }
  FILE_DISPOSITION_INFO wanted{};
  wanted.DeleteFile = TRUE;
  return error_unless(::SetFileInformationByHandle(file, FileDispositionInfo, &wanted, sizeof wanted));
}

void directory::rename(const native_string& from, const native_string& to, std::error_code& error) const noexcept {
  const target_name target{descriptor_, to};
  make_call({call::rename, no_native_handle, 0, 0}, error,
            [&](std::size_t) { return with_names_of(descriptor_, from, rename_to, &target); });
}

void directory::remove(const native_string& name, std::error_code& error) const noexcept {
  make_call({call::remove, no_native_handle, 0, 0}, error,
            [&](std::size_t) { return with_names_of(descriptor_, name, remove_it, nullptr); });
}

// FAT has no links: there, the one name is exchanged.
void directory::link(const file& target, const native_string& present, const native_string& name,
                     std::error_code& error) const noexcept {
  if (present.empty()) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return;
  }
  make_call({call::link, target.descriptor(), 0, 0}, error, [&](std::size_t) {
    std::error_code failure;
    const owned_handle entry = open_handle(
        descriptor_, present,
        {.access = change_names | FILE_WRITE_ATTRIBUTES, .options = one_at_a_time | FILE_OPEN_REPARSE_POINT}, failure);
    if (failure) return failure;
    failure = link_open(entry.get(), descriptor_, name);
    return failure == std::errc::operation_not_supported ? rename_open(entry.get(), descriptor_, name, false) : failure;
  });
}

// Where it is needed, link() does it.
void directory::rename_to_free(const native_string& /*from*/, const native_string& /*to*/,
                               std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

void directory::require_linkable(const file& /*unnamed*/, std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::operation_not_supported);
}

void rename(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& error) noexcept {
  const target_name target{nullptr, to.native()};
  make_call({call::rename, no_native_handle, 0, 0}, error,
            [&](std::size_t) { return with_names_of(nullptr, from.native(), rename_to, &target); });
}

void remove(const std::filesystem::path& path, std::error_code& error) noexcept {
  make_call({call::remove, no_native_handle, 0, 0}, error,
            [&](std::size_t) { return with_names_of(nullptr, path.native(), remove_it, nullptr); });
}

}  // namespace freshet::detail::os

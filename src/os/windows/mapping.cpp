// The seam by Windows: files that are mapped into memory.
#include <cstdint>

#include "src/os/file.hpp"
#include "src/os/windows/system_call.hpp"

namespace freshet::detail::os {
namespace {

// Views begin at multiples of this (the allocation granularity of all Windows).
constexpr std::size_t view_alignment = std::size_t{64} << 10;

void* view_of(std::byte* data) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) / view_alignment * view_alignment);
}

}  // namespace

mapping::~mapping() {
  if (data_ != nullptr) ::UnmapViewOfFile(view_of(data_));
}

mapping mapping::map(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PAGE_READWRITE, target, offset, length, error);
}

mapping mapping::map_to_read(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PAGE_READONLY, target, offset, length, error);
}

mapping mapping::map_as(int protection, const file& target, std::uint64_t offset, std::size_t length,
                        std::error_code& error) {
  mapping result;
  const std::uint64_t begin = offset / view_alignment * view_alignment;
  const auto before = static_cast<std::size_t>(offset - begin);
  make_call({call::map, target.descriptor(), offset, length}, error, [&](std::size_t) {
    if (!target.is_open()) return std::make_error_code(std::errc::bad_file_descriptor);
    const owned_handle section{
        ::CreateFileMappingW(target.descriptor(), nullptr, static_cast<DWORD>(protection), 0, 0, nullptr)};
    if (!section) return last_error();
    const DWORD access = protection == PAGE_READONLY ? FILE_MAP_READ : FILE_MAP_READ | FILE_MAP_WRITE;
    void* const view = ::MapViewOfFile(section.get(), access, static_cast<DWORD>(begin >> 32),
                                       static_cast<DWORD>(begin), before + length);
    if (view == nullptr) return last_error();
    result.data_ = static_cast<std::byte*>(view) + before;
    result.length_ = length;
    return std::error_code{};
  });
  return result;
}

// What the device has of it, sync_data() of the file says.
void mapping::sync(std::error_code& error) const noexcept {
  make_call({call::sync_map, no_native_handle, 0, length_}, error,
            [&](std::size_t) { return error_unless(::FlushViewOfFile(data_, length_)); });
}

std::size_t page_size() noexcept {
  SYSTEM_INFO about{};
  ::GetSystemInfo(&about);
  return about.dwPageSize;
}

}  // namespace freshet::detail::os

// The seam on Linux: memory, private and mapped.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "src/os/file.hpp"
#include "src/os/system_call.hpp"

namespace freshet::detail::os {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t length) noexcept { return (length + page_size() - 1) / page_size() * page_size(); }

std::byte* map_private(std::size_t length) noexcept {
  void* const memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// The kernel aligns to small pages only: maps a huge page more and unmaps what is not needed at either end.
std::byte* map_aligned(std::size_t length) noexcept {
  std::byte* const memory = map_private(length + huge_page);
  if (memory == nullptr) return nullptr;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  const std::size_t before = beyond == 0 ? 0 : huge_page - beyond;
  if (before != 0) ::munmap(memory, before);
  ::munmap(memory + before + length, huge_page - before);
  return memory + before;
}

}  // namespace

mapping::mapping(mapping&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, length_{std::exchange(other.length_, 0)} {}

mapping& mapping::operator=(mapping&& other) noexcept {
  mapping taken{std::move(other)};
  std::swap(data_, taken.data_);
  std::swap(length_, taken.length_);
  return *this;
}

mapping::~mapping() {
  if (data_ != nullptr) ::munmap(data_, length_);
}

mapping mapping::map(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PROT_READ | PROT_WRITE, target, offset, length, error);
}

mapping mapping::map_to_read(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PROT_READ, target, offset, length, error);
}

mapping mapping::map_as(int protection, const file& target, std::uint64_t offset, std::size_t length,
                        std::error_code& error) {
  mapping result;
  intercepted_call next{call::map, target.descriptor(), offset, length};
  error = ask_interceptor(next);
  if (error) return result;
  void* const memory = ::mmap(nullptr, length, protection, MAP_SHARED, target.descriptor(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    error = last_error();
    return result;
  }
  result.data_ = static_cast<std::byte*>(memory);
  result.length_ = length;
  return result;
}

void mapping::sync(std::error_code& error) const noexcept {
  make_call({call::sync_map, -1, 0, length_}, error, [&](std::size_t) { return ::msync(data_, length_, MS_SYNC); });
}

std::byte* allocate_pages(std::size_t length) noexcept {
  const std::size_t whole = whole_pages(length);
  if (whole < huge_page) return map_private(whole);
  std::byte* const memory = map_aligned(whole);
  // Only a hint: without huge pages the memory works as well, but the first access and pinning cost more.
  if (memory != nullptr) ::madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

void free_pages(std::byte* memory, std::size_t length) noexcept {
  if (memory != nullptr) ::munmap(memory, whole_pages(length));
}

std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept {
  void* const grown = ::mremap(memory, whole_pages(length), whole_pages(wanted), MREMAP_MAYMOVE);
  return grown == MAP_FAILED ? nullptr : static_cast<std::byte*>(grown);
}

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace freshet::detail::os

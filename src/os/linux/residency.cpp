// The seam on Linux: what the page cache holds of files.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

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

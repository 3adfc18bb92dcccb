#include "verify.hpp"

#include <algorithm>
#include <cstring>

#include <freshet/error.hpp>

namespace freshet::tool {

file_comparer::file_comparer(const std::filesystem::path& path) : path_{path}, buffer_(std::size_t{1} << 20) {
  std::error_code failure;
  file_ =
      os::file::open(path, {.what = os::open_request::disposition::existing, .read = true, .write = false}, failure);
  if (failure) throw error{failure, "open", path};
}

bool file_comparer::fill() {
  if (!unread_.empty()) return true;
  std::error_code failure;
  std::size_t got = 0;
  do {
    got = file_.read_at(buffer_, offset_, failure);
  } while (failure == std::errc::interrupted);
  if (failure) throw error{failure, "read", path_, offset_};
  // What was read need not stay: memory that is freed later, all at once, would disturb the next trial.
  std::error_code ignored;
  file_.advise(os::advice::dont_need, offset_, got, ignored);
  offset_ += got;
  unread_ = std::span{buffer_}.first(got);
  return got != 0;
}

void file_comparer::write(std::span<const std::byte> expected) {
  while (same_ && !expected.empty()) {
    same_ = fill();
    const std::size_t length = std::min(expected.size(), unread_.size());
    same_ = same_ && std::memcmp(expected.data(), unread_.data(), length) == 0;
    expected = expected.subspan(length);
    unread_ = unread_.subspan(length);
  }
}

bool file_comparer::same_to_the_end() { return same_ && !fill(); }

}  // namespace freshet::tool

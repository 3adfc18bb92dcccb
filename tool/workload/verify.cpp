#include "verify.hpp"

#include <algorithm>
#include <cstring>

#include <freshet/error.hpp>

#include "method/transfer.hpp"

namespace freshet::tool {

file_comparer::file_comparer(const std::filesystem::path& path)
    : path_{path}, buffer_{pool::take(std::size_t{4} << 20)} {
  std::error_code failure;
  file_ =
      os::file::open(path, {.what = os::open_request::disposition::existing, .read = true, .write = false}, failure);
  if (failure) throw error{failure, "open", path};
  // Takes no memory of the page cache, which may be slow to come, and whose freeing would disturb the next trial.
  std::error_code refused;
  file_.set_direct(true, refused);
}

bool file_comparer::fill() {
  if (!unread_.empty()) return true;
  std::error_code failure;
  std::size_t got = 0;
  const auto read = [&] { got = file_.read_at(buffer_.bytes(), offset_, failure); };
  uninterrupted(failure, read);
  // Coarser alignment than the buffer has, or the odd end of the file.
  if (failure == std::errc::invalid_argument && file_.is_direct()) {
    file_.set_direct(false, failure);
    uninterrupted(failure, read);
  }
  if (failure) throw error{failure, "read", path_, offset_};
  offset_ += got;
  unread_ = buffer_.bytes().first(got);
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

#include "tool/workload/verify.hpp"

#include <algorithm>
#include <cstring>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"

namespace freshet::tool {

file_comparer::file_comparer(const std::filesystem::path& path, sampling how)
    : path_{path}, how_{how}, random_{how.seed}, buffer_{detail::pool::take(std::size_t{4} << 20)} {
  std::error_code failure;
  file_ = detail::os::file::open_existing(path, failure);
  if (!failure) size_ = file_.status(failure).size;
  if (failure) throw error{failure, "open", path};
  // Direct I/O takes no memory for the page cache. Such memory may be slow to get, and freeing it would disturb the
  // next trial.
  std::error_code refused;
  file_.set_direct(true, refused);
}

// Proceeds to the next block of the file; false at the end of the file.
bool file_comparer::next_block() {
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), size_ - offset_));
  if (length == 0) return false;
  const bool is_first_or_last = offset_ == 0 || offset_ + length == size_;
  if (is_first_or_last || random_() % how_.one_in == 0)
    read_block(length);
  else
    ignored_ = length;
  offset_ += length;
  return true;
}

void file_comparer::read_block(std::size_t length) {
  for (std::size_t filled = 0; filled < length;) {
    std::error_code failure;
    std::size_t length_read = 0;
    const auto read = [&] { length_read = file_.read_at(buffer_.bytes().subspan(filled), offset_ + filled, failure); };
    detail::uninterrupted(failure, read);
    // Direct I/O needs more alignment than the buffer, or the rest after a short read, has.
    if (failure == std::errc::invalid_argument && file_.is_direct()) {
      file_.set_direct(false, failure);
      detail::uninterrupted(failure, read);
    }
    if (failure) throw error{failure, "read", path_, offset_ + filled};
    if (length_read == 0)
      throw error{std::make_error_code(std::errc::io_error), "read", path_, offset_ + filled, "it got shorter"};
    filled += length_read;
  }
  unread_ = buffer_.bytes().first(length);
}

void file_comparer::write(std::span<const std::byte> expected) {
  while (same_ && !expected.empty()) {
    if (unread_.empty() && ignored_ == 0 && !next_block()) {
      same_ = false;
      return;
    }
    const std::size_t length = std::min(expected.size(), std::max(unread_.size(), ignored_));
    if (ignored_ != 0) {
      ignored_ -= length;
    } else {
      same_ = std::memcmp(expected.data(), unread_.data(), length) == 0;
      unread_ = unread_.subspan(length);
      compared_ += length;
    }
    expected = expected.subspan(length);
  }
}

bool file_comparer::same_to_the_end() const noexcept {
  return same_ && unread_.empty() && ignored_ == 0 && offset_ == size_;
}

void stored_comparer::write(std::span<const std::byte> expected) {
  if (!same_) return;
  piece_.resize(expected.size());
  const std::size_t length = in_.read(std::span{piece_});
  compared_ += length;
  same_ = length == expected.size() && std::ranges::equal(piece_, expected);
}

bool stored_comparer::same_to_the_end() { return same_ && in_.available().empty(); }

}  // namespace freshet::tool

#include "src/sink/sink.hpp"

#include <algorithm>
#include <cstring>

#include "src/base/contract.hpp"

namespace freshet::detail {

bool sink::next_window(std::size_t least) noexcept {
  if (window_.room().size() < least && open_ && !failure()) flushes_when_full_ ? flush() : make_room(least);
  if (failure() || !open_) return false;
  if (keeps_contract(window_.room().size() >= least)) return true;
  fail("write", std::make_error_code(broken_contract), window_too_small);
  return false;
}

void sink::write(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() > window_.room().size() && open_ && !failure() && write_whole(bytes)) return;
  while (!bytes.empty() && !failure() && open_) {
    if (window_.unwritten().empty() && !flushes_when_full_) {
      const std::size_t written = write_large(bytes);
      bytes = bytes.subspan(written);
      if (written != 0) continue;
    }
    const auto room = window_.room();
    const auto piece = bytes.first(std::min(bytes.size(), room.size()));
    if (!piece.empty()) std::memcpy(room.data(), piece.data(), piece.size());
    advance(piece.size());
    bytes = bytes.subspan(piece.size());
    if (!bytes.empty() && !next_window()) return;
  }
}

error sink::failure_as_error() const {
  return {failure_.code, failure_.operation, path(), failure_.offset, failure_.detail};
}

void sink::record_failure(std::string_view operation, std::error_code why, std::string_view detail,
                          std::uint64_t at) noexcept {
  if (!failure()) failure_ = {why, operation, detail, at};
  window_.clear();
}

void sink::take_failure_of(const sink& inner, std::uint64_t at) noexcept {
  if (inner.failure()) record_failure(inner.failure_.operation, inner.failure(), inner.failure_.detail, at);
}

}  // namespace freshet::detail

#include "src/sink/sink.hpp"

#include <algorithm>
#include <cstring>

namespace freshet::detail {

std::size_t sink::write(std::size_t filled, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty() && !failure_) {
    if (filled == 0) {
      const std::size_t written = write_large(bytes);
      bytes = bytes.subspan(written);
      if (written != 0) continue;
    }
    const auto room = window().subspan(filled);
    const auto piece = bytes.first(std::min(bytes.size(), room.size()));
    if (!piece.empty()) std::memcpy(room.data(), piece.data(), piece.size());
    filled += piece.size();
    bytes = bytes.subspan(piece.size());
    if (!bytes.empty()) filled = exchange(filled);
  }
  return failure_ ? 0 : filled;
}

}  // namespace freshet::detail

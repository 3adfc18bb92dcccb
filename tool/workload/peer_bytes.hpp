// The workload `bytes` of the peers: content that every language can make in a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {

/// The content, which repeats: entry n is the top byte of the n-th number of x = x * 1664525 + 1013904223 modulo 2^32,
/// starting with x = 1.
[[nodiscard]] std::span<const std::byte> peer_bytes();

/// Writes `size` bytes of it. @throws interrupted; what `out` throws
template <typename Out>
void write_peer_bytes(Out& out, std::uint64_t size) {
  const std::span<const std::byte> bytes = peer_bytes();
  for (std::uint64_t done = 0; done < size; done += bytes.size()) {
    out.write(bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - done))));
    throw_if_interrupted();
  }
}

}  // namespace freshet::tool

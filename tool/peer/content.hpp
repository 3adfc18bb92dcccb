// The content that peers write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tool/base/interrupt.hpp"
#include "tool/workload/verify.hpp"
#include "tool/workload/workload.hpp"

namespace freshet::tool {

enum class peer_workload : std::uint8_t { text, bytes };
[[nodiscard]] std::string_view to_string(peer_workload workload);

/// The repeating content of files written byte by byte: entry n is the top byte of the n-th number of
/// x = x * 1664525 + 1013904223 modulo 2^32, starting at x = 1. Every language can compute it in one line.
[[nodiscard]] std::span<const std::byte> peer_bytes();

/// Writes to `out` the content of a peer's file of `size` bytes. @throws interrupted; what `out` throws
template <typename Out>
amount write_content(Out& out, peer_workload workload, std::uint64_t size) {
  if (workload == peer_workload::text) return write_text(out, size);
  for (std::uint64_t done = 0; done < size; done += peer_bytes().size()) {
    out.write(peer_bytes().first(static_cast<std::size_t>(std::min<std::uint64_t>(peer_bytes().size(), size - done))));
    throw_if_interrupted();
  }
  return {.bytes = size};
}

/// How many bytes and lines write_content() writes. @throws interrupted
[[nodiscard]] amount amount_of(peer_workload workload, std::uint64_t size);
/// The SHA-256 of the content, in hexadecimal digits. @throws interrupted
[[nodiscard]] std::string sha256_of(peer_workload workload, std::uint64_t size);

}  // namespace freshet::tool

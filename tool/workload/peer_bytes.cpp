#include "tool/workload/peer_bytes.hpp"

#include <array>

namespace freshet::tool {
namespace {

constexpr std::size_t entries = std::size_t{1} << 16;

std::array<std::byte, entries> make_peer_bytes() {
  std::array<std::byte, entries> bytes{};
  std::uint32_t x = 1;
  for (std::byte& each : bytes) {
    x = x * 1664525 + 1013904223;
    each = static_cast<std::byte>(x >> 24);
  }
  return bytes;
}

}  // namespace

std::span<const std::byte> peer_bytes() {
  static const std::array<std::byte, entries> bytes = make_peer_bytes();
  return bytes;
}

}  // namespace freshet::tool

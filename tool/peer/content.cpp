#include "tool/peer/content.hpp"

#include <array>

#include "tool/peer/sha256.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t entries = std::size_t{1} << 16;

std::array<std::byte, entries> make_bytes() {
  std::array<std::byte, entries> bytes{};
  std::uint32_t x = 1;
  for (std::byte& each : bytes) {
    x = x * 1664525 + 1013904223;
    each = static_cast<std::byte>(x >> 24);
  }
  return bytes;
}

struct nowhere {
  void write(std::string_view /*text*/) {}
  void write(std::span<const std::byte> /*bytes*/) {}
};

}  // namespace

std::string_view to_string(peer_workload workload) { return workload == peer_workload::text ? "text" : "bytes"; }

std::span<const std::byte> peer_bytes() {
  static const std::array<std::byte, entries> bytes = make_bytes();
  return bytes;
}

amount amount_of(peer_workload workload, std::uint64_t size) {
  nowhere out;
  return write_content(out, workload, size);
}

std::string sha256_of(peer_workload workload, std::uint64_t size) {
  sha256 sum;
  write_content(sum, workload, size);
  return sum.digits();
}

}  // namespace freshet::tool

#include "tool/workload/workloads.hpp"

#include <array>
#include <string>
#include <utility>

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

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

constexpr std::array workload_table = {
    workload{.kind = workload_kind::text,
             .in_plans = true,
             .peer_size = 1024 * mebibyte,
             .fio_difference =
                 "fio makes no text: what that takes, and the blocks filled meanwhile, are missing from its "
                 "figure."},
    workload{.kind = workload_kind::blocks, .in_plans = true, .needs_data = true},
    workload{.kind = workload_kind::bytes, .peer_size = 64 * mebibyte},
    workload{.kind = workload_kind::lines},
    workload{.kind = workload_kind::files, .needs_data = true},
};

constexpr bool in_order_of_kinds() {
  for (std::size_t row = 0; row < workload_table.size(); ++row)
    if (workload_table[row].kind != static_cast<workload_kind>(row)) return false;
  return workload_table.size() == enum_names<workload_kind>.size();
}
static_assert(in_order_of_kinds());

// Those of which `member` says something.
template <typename Member>
std::vector<workload_kind> list_kinds(Member workload::*member) {
  std::vector<workload_kind> kinds;
  for (const workload& each : workload_table)
    if (each.*member != Member{}) kinds.push_back(each.kind);
  return kinds;
}

}  // namespace

std::span<const std::byte> peer_bytes() {
  static const std::array<std::byte, entries> bytes = make_peer_bytes();
  return bytes;
}

std::string_view repeated_text() {
  static const std::string text = [] {
    struct {
      std::string text = {};
      void write(std::string_view piece) { text += piece; }
    } out;
    for (std::uint64_t number = 1; number <= repeated_lines; ++number) write_text_line(out, number);
    return std::move(out.text);
  }();
  return text;
}

const workload& find_workload(workload_kind kind) noexcept { return workload_table[static_cast<std::size_t>(kind)]; }

std::vector<workload_kind> plan_workloads() { return list_kinds(&workload::in_plans); }
std::vector<workload_kind> peer_workloads() { return list_kinds(&workload::peer_size); }

}  // namespace freshet::tool

// The table of all workloads: what files hold, and who writes them.
//
// To add a workload: a file that writes it, a value of workload_kind with its name, a row of the table in
// workloads.cpp, and a case in write_workload().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/workload/workload.hpp"

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

enum class workload_kind : std::uint8_t {
  text,    ///< lines of text, generated while they are written
  blocks,  ///< large pieces of random bytes, generated before
  bytes,   ///< one byte per call
  lines,   ///< files that exist, processed line by line
  files,   ///< many small files, made one after another
};
template <>
inline constexpr auto enum_names<workload_kind> = std::to_array<std::string_view>({"text", "blocks", "bytes", "lines",
                                                                                   "files"});

struct workload {
  workload_kind kind = workload_kind::text;
  bool in_plans = false;        ///< `tune` and `bench` offer it
  std::uint64_t peer_size = 0;  ///< bytes of a file that `peers` writes by default; 0: `peers` does not offer it
  bool needs_data = false;      ///< it is written from block_data
  std::string_view fio_difference = {};  ///< what distinguishes fio's writing from it; empty: nothing
};

[[nodiscard]] const workload& find_workload(workload_kind kind) noexcept;
/// The workloads that `tune` and `bench` offer, and those that `peers` offers.
[[nodiscard]] std::vector<workload_kind> plan_workloads();
[[nodiscard]] std::vector<workload_kind> peer_workloads();
/// Whether `name` is the workload's name.
[[nodiscard]] inline bool is_workload(std::string_view name, workload_kind kind) noexcept {
  return name == to_string(kind);
}

/// What a file is to hold.
struct workload_content {
  workload_kind kind = workload_kind::text;
  std::uint64_t size = 0;            ///< bytes; `text` writes whole lines of at most as many
  const block_data* data = nullptr;  ///< for workloads that need it
  std::size_t piece = 0;             ///< bytes that `blocks` writes at a time
};

/// Writes the content to `out`, which needs write() of a std::string_view and of a std::span<const std::byte>.
/// Precondition: it is neither `lines` nor `files`, which write no single file. @throws interrupted; what `out` throws
template <typename Out>
amount write_workload(Out& out, const workload_content& content) {
  switch (content.kind) {
    case workload_kind::text:
      return write_text(out, content.size);
    case workload_kind::blocks:
      return write_blocks(out, *content.data, content.size, content.piece);
    case workload_kind::bytes:
      write_peer_bytes(out, content.size);
      return {.bytes = content.size};
    case workload_kind::lines:
    case workload_kind::files:
      break;
  }
  return {};
}

/// Writes the same bytes, but as quickly as possible. Precondition and errors: as above.
template <typename Out>
amount write_expected(Out& out, const workload_content& content) {
  return content.kind == workload_kind::text ? write_repeated_text(out, content.size) : write_workload(out, content);
}

}  // namespace freshet::tool

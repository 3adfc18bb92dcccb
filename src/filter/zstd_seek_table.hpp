// Reads the table at the end of a file of zstd that says where its frames are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/filter/zstd_decoder.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

struct zstd_seek_table {
  std::vector<zstd_frame_start> frames;  ///< in order, beginning with the first; where they are short, not all of them
  std::uint64_t plain = 0;               ///< bytes in all of them
};

/// Returns nothing if there is none, or none that proves itself: only the copy that freshet writes before it does.
/// Other programs' tables have no checksum, and a wrong one would lead to wrong bytes. Moves the position of `from`.
/// Precondition: `from` can seek. @throws std::bad_alloc
[[nodiscard]] std::optional<zstd_seek_table> read_zstd_seek_table(source& from);

}  // namespace freshet::detail

// What a trial promises about its bytes, and by which time it is ranked.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <freshet/options.hpp>

namespace freshet::tool {

/// The durability classes of writing, and the cache classes of reading. Trials of different classes are never compared.
enum class io_class : std::uint8_t {
  none,        ///< written: the kernel has it; ranked by time to close
  at_close,    ///< written: the device has it when close() returns; ranked by time to disk
  each_write,  ///< written: the device has each block before the next is accepted; ranked by time to disk
  cold,        ///< read from the device: nothing of the file was in memory; ranked by time to close
  warm,        ///< read from the page cache, which held the whole file; ranked by time to close
};

inline constexpr std::array writing_classes{io_class::none, io_class::at_close, io_class::each_write};
inline constexpr std::array all_classes{io_class::none, io_class::at_close, io_class::each_write, io_class::cold,
                                        io_class::warm};

[[nodiscard]] constexpr bool reads(io_class what) noexcept { return what == io_class::cold || what == io_class::warm; }

/// Whether the time to disk counts, not the time to close.
[[nodiscard]] constexpr bool ranks_by_disk(io_class what) noexcept {
  return what == io_class::at_close || what == io_class::each_write;
}

/// Precondition: not reads(what).
[[nodiscard]] constexpr freshet::durability durability_of(io_class what) noexcept {
  if (what == io_class::at_close) return durability::at_close;
  return what == io_class::each_write ? durability::each_write : durability::none;
}

/// "none", "at_close", "each_write", "cold", "warm".
[[nodiscard]] std::string to_string(io_class what);

}  // namespace freshet::tool

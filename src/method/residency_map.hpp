// Which parts of a file the page cache holds, asked as reading comes to them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "src/os/file.hpp"

namespace freshet::detail {

/// An end that no file has.
inline constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

/// Where bytes of a file are. unknown: the kernel does not tell this user.
enum class residence : std::uint8_t { cached, absent, unknown };

/// Knows where the next bytes of a file are, usually from front to back. It looks at parts of 1 MiB, and in each at 64
/// KiB in its middle: counting every page of a file takes a twentieth of the time of reading it from memory.
class residency_map {
 public:
  /// `size`: of the file, in bytes.
  residency_map(const os::file& source, std::uint64_t size);

  /// Bytes up to `end` that are all in one place, as far as that is known so far.
  struct run {
    std::uint64_t end = 0;
    residence where = residence::unknown;
  };
  /// The bytes from `offset` on, which must be below the size. Asks for more before the kernel reads ahead that
  /// far, and before the known ones end, so that reading ahead need not stop; after a seek, at first only for the part
  /// that is needed.
  [[nodiscard]] run at(std::uint64_t offset) noexcept;

 private:
  void ask_for_next_part() noexcept;
  [[nodiscard]] residence look_at(std::uint64_t begin, std::uint64_t end) const noexcept;
  [[nodiscard]] std::uint64_t known_end() const noexcept { return runs_.empty() ? begin_ : runs_.back().end; }

  const os::file& source_;
  std::uint64_t size_;
  std::uint64_t begin_ = 0;   // of the first run: where reading was last
  std::uint64_t asks_ahead_;  // parts
  std::vector<run> runs_;     // one after another, neighbours in different places
  bool refused_ = false;
};

}  // namespace freshet::detail

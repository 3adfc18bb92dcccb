// The checksum of bytes that come in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <freshet/options.hpp>

namespace freshet::detail {

/// XXH3 with 64 bits and no seed, of all bytes so far.
class running_checksum {
 public:
  /// Whether the library was built with one.
  [[nodiscard]] static bool is_available() noexcept;

  /// Begins with no bytes. Precondition: is_available(). @throws std::bad_alloc
  running_checksum();

  void add(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] checksum result() const noexcept;

 private:
  struct state;
  struct free_state {
    void operator()(state* unused) const noexcept;
  };
  std::unique_ptr<state, free_state> state_;
};

}  // namespace freshet::detail

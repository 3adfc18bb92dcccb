// What an encryption_key holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/filter/secret.hpp"

namespace freshet::detail {

/// How a file's keys follow from what its user has. Sealed files contain these numbers.
enum class key_kind : std::uint8_t { key = 0, passphrase = 1 };

struct key_contents {
  key_contents(key_kind what, std::span<const std::byte> from, unsigned passphrase_cost)
      : kind{what}, bytes{from.begin(), from.end()}, cost{passphrase_cost} {}
  key_contents(const key_contents&) = delete;
  key_contents& operator=(const key_contents&) = delete;
  ~key_contents() { wipe(bytes); }

  key_kind kind;
  std::vector<std::byte> bytes;
  unsigned cost;  ///< of files that are written with a passphrase
};

}  // namespace freshet::detail

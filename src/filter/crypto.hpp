// The cryptography that sealed files need, as OpenSSL provides it. Functions that return false could not get memory or
// the algorithm from OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "src/filter/secret.hpp"

namespace freshet::detail {

/// Why this build cannot encrypt; empty if it can.
[[nodiscard]] std::string_view why_no_encryption() noexcept;

/// Fills `bytes` with random bytes that nobody can predict.
[[nodiscard]] bool fill_randomly(std::span<std::byte> bytes) noexcept;

/// HKDF-SHA-256 (RFC 5869) of the key material `from`.
[[nodiscard]] bool derive_key(std::span<const std::byte> from, std::span<const std::byte> salt, std::string_view info,
                              secret& into) noexcept;

/// SHA-256 of the number of `bytes`, as 8 little-endian bytes, and of the bytes themselves.
[[nodiscard]] bool hash_with_length(std::span<const std::byte> bytes, secret& into) noexcept;

/// scrypt (RFC 7914) with N = 2^cost, r = 8 and p = 1; takes 2^cost KiB of memory.
[[nodiscard]] bool derive_from_passphrase(std::span<const std::byte> passphrase, std::span<const std::byte> salt,
                                          unsigned cost, secret& into) noexcept;

using hmac = std::array<std::byte, 32>;
/// HMAC-SHA-256 (RFC 2104).
[[nodiscard]] bool make_hmac(const secret& key, std::span<const std::byte> bytes, hmac& into) noexcept;
/// Compares in a time that does not depend on the bytes.
[[nodiscard]] bool is_equal(const hmac& one, const hmac& other) noexcept;

using cipher_nonce = std::array<std::byte, 12>;
using cipher_tag = std::array<std::byte, 16>;

/// AES-256-GCM in one direction, with one key and many nonces. Each message is begun, passed in any pieces, and
/// finished.
class message_cipher {
 public:
  enum class direction : std::uint8_t { seal, open };

  message_cipher() noexcept = default;
  /// Sets the key up.
  [[nodiscard]] bool start(direction way, const secret& key) noexcept;

  /// Begins a message. When sealing, a nonce must not be used twice with one key.
  [[nodiscard]] bool begin(const cipher_nonce& nonce, std::span<const std::byte> associated) noexcept;
  /// Transforms a piece, at most 1 GiB, into as many bytes at `into`. Opened bytes must not be used before finish().
  [[nodiscard]] bool transform(std::span<const std::byte> piece, std::byte* into) noexcept;
  /// Ends a sealed message.
  [[nodiscard]] bool finish(cipher_tag& tag) noexcept;
  /// Ends an opened message; false if the message, its nonce, its associated bytes or its tag are not what was sealed.
  [[nodiscard]] bool verify(const cipher_tag& tag) noexcept;

 private:
  struct context;
  struct context_deleter {
    void operator()(context* old) const noexcept;
  };
  std::unique_ptr<context, context_deleter> context_;
  direction direction_ = direction::seal;
};

}  // namespace freshet::detail

// What happens to a line: it is "encrypted" several times over and written as Base64, or turned back. Measured work,
// not protection: key and counter are always the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// Bytes that a line to be encrypted may have, its "\n" left out, where a plan says nothing else.
inline constexpr std::size_t longest_line = std::size_t{256} << 20;

enum class cipher_kind : std::uint8_t {
  xor_bytes,  ///< pass k XORs every byte with k mod 256
  aes,        ///< AES-256-CTR; pass k starts its counter at k · 2^64, for every line
};

struct cipher_plan {
  cipher_kind cipher = cipher_kind::xor_bytes;
  unsigned work = 0;     ///< passes: 0, 1, … work - 1, each of them made in memory order
  bool decrypt = false;  ///< from Base64 back to the line
  /// What reads lines refuses one that has more bytes before it is encrypted, by an error that names this limit.
  std::size_t longest = longest_line;
  friend bool operator==(const cipher_plan&, const cipher_plan&) = default;
};

/// Treats lines. Used by one thread at a time.
class line_cipher {
 public:
  /// @throws std::runtime_error  when OpenSSL does not have the cipher
  explicit line_cipher(const cipher_plan& plan);
  line_cipher(line_cipher&&) noexcept;
  line_cipher& operator=(line_cipher&&) noexcept;
  ~line_cipher();

  /// Bytes of room that transform() may need for a line of `length` bytes.
  [[nodiscard]] std::size_t room_for(std::size_t length) const noexcept;

  /// Writes what becomes of `line`, which has no "\n", to the front of `room`, without a "\n", and returns how many
  /// bytes that is. Precondition: `room` has at least room_for(line.size()) bytes.
  /// @throws std::invalid_argument  when decrypting what is not Base64 as this class writes it
  [[nodiscard]] std::size_t transform(std::string_view line, std::span<char> room);

 private:
  struct engine;
  // Every pass writes: were what another thread writes in the same line of the cache, each would wait for the other.
  struct alignas(128) cache_lines {
    std::array<char, 128> bytes;
  };
  /// Makes all passes over `bytes`, where they are.
  void make_passes(std::span<char> bytes);
  [[nodiscard]] std::size_t encrypt(std::string_view line, std::span<char> room);
  [[nodiscard]] std::size_t decrypt(std::string_view line, std::span<char> room);

  cipher_plan plan_;
  std::unique_ptr<engine> engine_;   ///< of OpenSSL; null for xor_bytes
  std::vector<cache_lines> passes_;  ///< the line between two passes
};

}  // namespace freshet::tool

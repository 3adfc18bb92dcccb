// Encrypts lines several times and writes them as Base64, or decrypts them. This is work to be measured and no
// protection, because key and counter are always the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"

namespace freshet::tool {

/// The default of the most bytes that a line to be encrypted may have, without its "\n".
inline constexpr std::size_t longest_line = std::size_t{256} << 20;

/// The length of a line of `length` bytes once it is encrypted, both without their "\n": that of Base64.
[[nodiscard]] constexpr std::uint64_t encrypted_length(std::uint64_t length) noexcept { return (length + 2) / 3 * 4; }

enum class cipher_kind : std::uint8_t {
  xor_bytes,  ///< pass k XORs every byte with k mod 256
  aes,        ///< AES-256-CTR; pass k starts its counter at k · 2^64, for every line
};
template <>
inline constexpr auto enum_names<cipher_kind> = std::to_array<std::string_view>({"xor", "aes"});

struct cipher_plan {
  cipher_kind cipher = cipher_kind::xor_bytes;
  unsigned work = 0;     ///< the number of passes over each line; each goes through its bytes in order
  bool decrypt = false;  ///< converts Base64 back to the line
  /// The most bytes that a line may have before it is encrypted. Readers refuse a longer one, with an error that names
  /// this limit.
  std::size_t longest = longest_line;
  friend bool operator==(const cipher_plan&, const cipher_plan&) = default;
};

/// Encrypts or decrypts lines. One thread at a time may use it.
class line_cipher {
 public:
  /// @throws std::runtime_error  if OpenSSL does not have the cipher
  explicit line_cipher(const cipher_plan& plan);
  line_cipher(line_cipher&&) noexcept;
  line_cipher& operator=(line_cipher&&) noexcept;
  ~line_cipher();

  /// Bytes of room that transform() may need for a line of `length` bytes.
  [[nodiscard]] std::size_t room_for(std::size_t length) const noexcept;

  /// Encrypts or decrypts `line`, which has no "\n", writes the result to the front of `room`, and returns its length.
  /// Precondition: `room` has at least room_for(line.size()) bytes.
  /// @throws std::invalid_argument  if a line to be decrypted is not Base64 as this class writes it
  [[nodiscard]] std::size_t transform(std::string_view line, std::span<char> room);

 private:
  struct engine;
  // Every pass writes. Threads that write to the same cache line would wait for each other.
  struct alignas(128) cache_lines {
    std::array<char, 128> bytes;
  };
  /// Makes all passes over `bytes`, in place.
  void make_passes(std::span<char> bytes);
  [[nodiscard]] std::size_t encrypt(std::string_view line, std::span<char> room);
  [[nodiscard]] std::size_t decrypt(std::string_view line, std::span<char> room);

  cipher_plan plan_;
  std::unique_ptr<engine> engine_;   ///< of OpenSSL; null for xor_bytes
  std::vector<cache_lines> passes_;  ///< the line, between two passes
};

}  // namespace freshet::tool

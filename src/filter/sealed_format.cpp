#include "src/filter/sealed_format.hpp"

#include <algorithm>
#include <bit>

#include <freshet/encryption.hpp>

namespace freshet::detail {
namespace {

// Not text: its first byte is in no UTF-8, and a conversion of line ends would change it.
constexpr std::array<unsigned char, 8> magic{0x8F, 'f', 's', 'e', 'a', 'l', '\r', '\n'};
constexpr std::uint8_t version = 1;
constexpr std::uint8_t aes_256_gcm = 1;
constexpr std::uint32_t last_mark = std::uint32_t{1} << 31;

// Where the fields of a header begin.
constexpr std::size_t version_at = 8, algorithm_at = 9, kind_at = 10, cost_at = 11, segment_at = 12, content_at = 16,
                      reserved_at = 17, salt_at = 24, hmac_at = 56;

template <typename Integer>
void store_little(std::byte* at, Integer value) noexcept {
  for (std::size_t i = 0; i < sizeof value; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <typename Integer>
Integer load_little(const std::byte* at) noexcept {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Integer>(std::to_integer<Integer>(at[i]) << (8 * i));
  return value;
}

constexpr header_problem out_of_memory{std::errc::not_enough_memory, "OpenSSL could not derive the file's keys"};

header_problem derive_keys(const key_contents& key, const sealed_header& header, file_keys& into) noexcept {
  secret stretched;
  std::span<const std::byte> from = key.bytes;
  if (header.kind == key_kind::passphrase) {
    if (!derive_from_passphrase(key.bytes, header.salt, header.cost, stretched)) return out_of_memory;
    from = stretched.bytes();
  }
  if (!derive_key(from, header.salt, "freshet sealed file 1: header", into.header)) return out_of_memory;
  if (!derive_key(from, header.salt, "freshet sealed file 1: chunks", into.chunks)) return out_of_memory;
  return {};
}

bool is_possible_segment(std::uint32_t length) noexcept {
  return std::has_single_bit(length) && length >= smallest_segment && length <= largest_segment;
}

// Why a header cannot be that of a file which this version reads.
header_problem find_problem(const sealed_header::bytes& from, const key_contents& key) noexcept {
  const auto byte_at = [&](std::size_t at) { return std::to_integer<unsigned>(from[at]); };
  constexpr auto unknown = std::errc::not_supported;
  constexpr auto altered = std::errc::bad_message;
  if (!has_sealed_magic(from)) return {std::errc::invalid_argument, "the file is not sealed"};
  if (byte_at(version_at) != version) return {unknown, "the file has a version of the sealed format that is unknown"};
  if (byte_at(algorithm_at) != aes_256_gcm) return {unknown, "the file names an algorithm that is unknown"};
  if (byte_at(kind_at) > static_cast<unsigned>(key_kind::passphrase))
    return {unknown, "the file names a derivation of keys that is unknown"};
  const auto kind = static_cast<key_kind>(byte_at(kind_at));
  if (kind == key_kind::passphrase && byte_at(cost_at) > encryption_key::largest_cost)
    return {unknown, "deriving the key from the passphrase would cost more than is allowed"};
  if (!is_possible_segment(load_little<std::uint32_t>(&from[segment_at])))
    return {altered, "the header names an impossible size of segments"};
  if (kind != key.kind)
    return {std::errc::permission_denied, kind == key_kind::key ? "the file was sealed with a key, not a passphrase"
                                                                : "the file was sealed with a passphrase, not a key"};
  return {};
}

}  // namespace

bool has_sealed_magic(std::span<const std::byte> begin) noexcept {
  return begin.size() >= magic.size() && std::ranges::equal(begin.first(magic.size()), std::as_bytes(std::span{magic}));
}

key_kind sealed_header::kind_in(std::span<const std::byte> begin) noexcept {
  return begin[kind_at] == std::byte{0} ? key_kind::key : key_kind::passphrase;
}

header_problem make_header(const key_contents& key, std::size_t segment, sealed_content content,
                           sealed_header::bytes& into, file_keys& keys) {
  sealed_header header{.kind = key.kind, .cost = key.cost, .segment = segment, .content = content};
  if (!fill_randomly(header.salt)) return {std::errc::resource_unavailable_try_again, "there are no random bytes"};
  return make_header(key, header, into, keys);
}

header_problem make_header(const key_contents& key, const sealed_header& header, sealed_header::bytes& into,
                           file_keys& keys) {
  if (const auto problem = derive_keys(key, header, keys); problem.code != std::errc{}) return problem;
  into = {};
  std::ranges::copy(std::as_bytes(std::span{magic}), into.begin());
  into[version_at] = std::byte{version};
  into[algorithm_at] = std::byte{aes_256_gcm};
  into[kind_at] = static_cast<std::byte>(header.kind);
  into[cost_at] = static_cast<std::byte>(header.cost);
  store_little(&into[segment_at], static_cast<std::uint32_t>(header.segment));
  into[content_at] = static_cast<std::byte>(header.content);
  std::ranges::copy(header.salt, &into[salt_at]);
  hmac made;
  if (!make_hmac(keys.header, std::span{into}.first(hmac_at), made)) return out_of_memory;
  std::ranges::copy(made, &into[hmac_at]);
  return {};
}

header_problem read_header(const sealed_header::bytes& from, const key_contents& key, sealed_header& into,
                           file_keys& keys) {
  if (const auto problem = find_problem(from, key); problem.code != std::errc{}) return problem;
  into.kind = key.kind;
  into.cost = std::to_integer<unsigned>(from[cost_at]);
  std::ranges::copy(std::span{from}.subspan(salt_at, sealed_header::salt_length), into.salt.begin());
  if (const auto problem = derive_keys(key, into, keys); problem.code != std::errc{}) return problem;
  hmac stored;
  hmac expected;
  std::ranges::copy(std::span{from}.subspan(hmac_at), stored.begin());
  if (!make_hmac(keys.header, std::span{from}.first(hmac_at), expected)) return out_of_memory;
  if (!is_equal(stored, expected)) return {std::errc::permission_denied, "the key is wrong, or the header was altered"};
  const auto reserved = std::span{from}.subspan(reserved_at, salt_at - reserved_at);
  if (std::ranges::any_of(reserved, [](std::byte each) { return each != std::byte{}; }) ||
      from[content_at] > static_cast<std::byte>(sealed_content::zstd))
    return {std::errc::not_supported, "the file was sealed in a newer way"};
  into.content = static_cast<sealed_content>(from[content_at]);
  into.segment = load_little<std::uint32_t>(&from[segment_at]);
  return {};
}

chunk_head::bytes chunk_head::encode() const noexcept {
  bytes into{};
  store_little(into.data(), offset);
  store_little(into.data() + sizeof offset, content | (is_last ? last_mark : 0));
  return into;
}

chunk_head chunk_head::decode(const bytes& from) noexcept {
  const auto marked = load_little<std::uint32_t>(from.data() + sizeof offset);
  return {.offset = load_little<std::uint64_t>(from.data()),
          .content = marked & ~last_mark,
          .is_last = (marked & last_mark) != 0};
}

cipher_nonce nonce_of(std::uint64_t position, bool is_last) noexcept {
  cipher_nonce nonce{};
  store_little(nonce.data(), position);
  nonce.back() = std::byte{is_last};
  return nonce;
}

}  // namespace freshet::detail

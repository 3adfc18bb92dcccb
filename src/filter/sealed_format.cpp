#include "src/filter/sealed_format.hpp"

#include <algorithm>
#include <bit>

#include <freshet/encryption.hpp>
#include <freshet/endian.hpp>

namespace freshet::detail {
namespace {

// No text begins so: its first byte does not occur in UTF-8. A conversion of line ends, which would damage the file,
// changes its last two bytes, too.
constexpr std::array<unsigned char, 8> magic{0x8F, 'f', 's', 'e', 'a', 'l', '\r', '\n'};
constexpr std::uint8_t aes_256_gcm = 1;
constexpr std::uint32_t last_mark = std::uint32_t{1} << 31;

// Where the fields of a header begin.
constexpr std::size_t version_at = 8, algorithm_at = 9, kind_at = 10, cost_at = 11, segment_at = 12, content_at = 16,
                      reserved_at = 17, salt_at = 24, hmac_at = 56;

constexpr auto little = std::endian::little;

header_problem out_of_memory() { return {std::errc::not_enough_memory, "OpenSSL could not derive the file's keys"}; }

// Before version 2, scrypt got the passphrase itself. It fills up short ones with zeros and hashes long ones, so that
// several passphrases had the same key.
bool stretch(const key_contents& key, const sealed_header& header, secret& into) noexcept {
  if (header.version == sealed_header::first_version)
    return derive_from_passphrase(key.bytes, header.salt, header.cost, into);
  secret hash;
  return hash_with_length(key.bytes, hash) && derive_from_passphrase(hash.bytes(), header.salt, header.cost, into);
}

header_problem derive_keys(const key_contents& key, const sealed_header& header, file_keys& into) {
  secret stretched;
  std::span<const std::byte> from = key.bytes;
  if (header.kind == key_kind::passphrase) {
    if (!stretch(key, header, stretched)) return out_of_memory();
    from = stretched.bytes();
  }
  if (!derive_key(from, header.salt, "freshet sealed file 1: header", into.header)) return out_of_memory();
  if (!derive_key(from, header.salt, "freshet sealed file 1: chunks", into.chunks)) return out_of_memory();
  return {};
}

std::uint32_t segment_in(std::span<const std::byte, sealed_header::length> header) noexcept {
  return load<little, std::uint32_t>(header.subspan<segment_at, sizeof(std::uint32_t)>());
}

bool is_possible_segment(std::uint32_t length) noexcept {
  return std::has_single_bit(length) && length >= smallest_segment && length <= largest_segment;
}

// Why a header cannot be that of a file which this version reads.
header_problem find_problem(const sealed_header::bytes& from, const key_contents& key) {
  const auto byte_at = [&](std::size_t at) { return std::to_integer<unsigned>(from[at]); };
  constexpr auto unknown = std::errc::not_supported;
  constexpr auto altered = std::errc::bad_message;
  if (!has_sealed_magic(from)) return {std::errc::invalid_argument, "the file is not sealed"};
  const unsigned version = byte_at(version_at);
  if (version < sealed_header::first_version || version > sealed_header::newest_version)
    return {unknown, "the file has version " + std::to_string(version) +
                         " of the sealed format; this program reads versions 1 and 2"};
  if (byte_at(algorithm_at) != aes_256_gcm) return {unknown, "the file names an algorithm that is unknown"};
  if (byte_at(kind_at) > static_cast<unsigned>(key_kind::passphrase))
    return {unknown, "the file names a derivation of keys that is unknown"};
  const auto kind = static_cast<key_kind>(byte_at(kind_at));
  if (kind == key_kind::passphrase && byte_at(cost_at) > encryption_key::largest_cost)
    return {unknown, "deriving the key from the passphrase would cost more than is allowed"};
  if (!is_possible_segment(segment_in(from))) return {altered, "the header names an impossible size of segments"};
  if (kind != key.kind)
    return {std::errc::permission_denied, kind == key_kind::key ? "the file was sealed with a key, not a passphrase"
                                                                : "the file was sealed with a passphrase, not a key"};
  if (kind == key_kind::passphrase && byte_at(cost_at) == 0)
    return {altered, "the header names an impossible cost of the passphrase, 0"};
  return {};
}

}  // namespace

bool has_sealed_magic(std::span<const std::byte> begin) noexcept {
  return begin.size() >= magic.size() && std::ranges::equal(begin.first(magic.size()), std::as_bytes(std::span{magic}));
}

bool may_become_sealed_header(std::span<const std::byte> begin) noexcept {
  const std::size_t known = std::min(begin.size(), magic.size());
  return begin.size() < sealed_header::length &&
         std::ranges::equal(begin.first(known), std::as_bytes(std::span{magic}).first(known));
}

key_kind sealed_header::kind_in(std::span<const std::byte> begin) noexcept {
  return begin[kind_at] == std::byte{0} ? key_kind::key : key_kind::passphrase;
}

header_problem make_header(const key_contents& key, std::size_t segment, sealed_content content,
                           sealed_header::bytes& into, file_keys& keys) {
  // A key needs nothing of version 2, and older programs read version 1.
  const auto version = key.kind == key_kind::passphrase ? sealed_header::newest_version : sealed_header::first_version;
  sealed_header header{.version = version, .kind = key.kind, .cost = key.cost, .segment = segment, .content = content};
  if (!fill_randomly(header.salt)) return {std::errc::resource_unavailable_try_again, "there are no random bytes"};
  return make_header(key, header, into, keys);
}

header_problem make_header(const key_contents& key, const sealed_header& header, sealed_header::bytes& into,
                           file_keys& keys) {
  if (auto problem = derive_keys(key, header, keys); problem.code != std::errc{}) return problem;
  into = {};
  std::ranges::copy(std::as_bytes(std::span{magic}), into.begin());
  into[version_at] = std::byte{header.version};
  into[algorithm_at] = std::byte{aes_256_gcm};
  into[kind_at] = static_cast<std::byte>(header.kind);
  into[cost_at] = static_cast<std::byte>(header.cost);
  store<little>(static_cast<std::uint32_t>(header.segment),
                std::span{into}.subspan<segment_at, sizeof(std::uint32_t)>());
  into[content_at] = static_cast<std::byte>(header.content);
  std::ranges::copy(header.salt, &into[salt_at]);
  hmac made;
  if (!make_hmac(keys.header, std::span{into}.first(hmac_at), made)) return out_of_memory();
  std::ranges::copy(made, &into[hmac_at]);
  return {};
}

header_problem read_header(const sealed_header::bytes& from, const key_contents& key, sealed_header& into,
                           file_keys& keys) {
  if (auto problem = find_problem(from, key); problem.code != std::errc{}) return problem;
  into.version = std::to_integer<std::uint8_t>(from[version_at]);
  into.kind = key.kind;
  into.cost = std::to_integer<unsigned>(from[cost_at]);
  std::ranges::copy(std::span{from}.subspan(salt_at, sealed_header::salt_length), into.salt.begin());
  if (auto problem = derive_keys(key, into, keys); problem.code != std::errc{}) return problem;
  hmac stored;
  hmac expected;
  std::ranges::copy(std::span{from}.subspan(hmac_at), stored.begin());
  if (!make_hmac(keys.header, std::span{from}.first(hmac_at), expected)) return out_of_memory();
  if (!is_equal(stored, expected)) return {std::errc::permission_denied, "the key is wrong, or the header was altered"};
  const auto reserved = std::span{from}.subspan(reserved_at, salt_at - reserved_at);
  if (std::ranges::any_of(reserved, [](std::byte each) { return each != std::byte{}; }) ||
      from[content_at] > static_cast<std::byte>(sealed_content::zstd))
    return {std::errc::not_supported, "the file was sealed in a newer way"};
  into.content = static_cast<sealed_content>(from[content_at]);
  into.segment = segment_in(from);
  return {};
}

chunk_head::bytes chunk_head::encode() const noexcept {
  bytes into{};
  store<little>(offset, std::span{into}.first<sizeof offset>());
  store<little>(content | (is_last ? last_mark : 0), std::span{into}.last<sizeof content>());
  return into;
}

chunk_head chunk_head::decode(const bytes& from) noexcept {
  const auto marked = load<little, std::uint32_t>(std::span{from}.last<sizeof content>());
  return {.offset = load<little, std::uint64_t>(std::span{from}.first<sizeof offset>()),
          .content = marked & ~last_mark,
          .is_last = (marked & last_mark) != 0};
}

cipher_nonce nonce_of(std::uint64_t position, bool is_last) noexcept {
  cipher_nonce nonce{};
  store<little>(position, std::span{nonce}.first<sizeof position>());
  nonce.back() = std::byte{is_last};
  return nonce;
}

}  // namespace freshet::detail

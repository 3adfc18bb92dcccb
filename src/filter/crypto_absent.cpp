// Stands for crypto_openssl.cpp in builds without OpenSSL.
#include <algorithm>

#include "src/filter/crypto.hpp"

namespace freshet::detail {

std::string_view why_no_encryption() noexcept { return "this build of freshet has no OpenSSL"; }

void wipe(std::span<std::byte> bytes) noexcept {
  for (volatile std::byte& each : bytes) each = std::byte{};
}

bool fill_randomly(std::span<std::byte> /*bytes*/) noexcept { return false; }

bool derive_key(std::span<const std::byte> /*from*/, std::span<const std::byte> /*salt*/, std::string_view /*info*/,
                secret& /*into*/) noexcept {
  return false;
}

bool hash_with_length(std::span<const std::byte> /*bytes*/, secret& /*into*/) noexcept { return false; }

bool derive_from_passphrase(std::span<const std::byte> /*passphrase*/, std::span<const std::byte> /*salt*/,
                            unsigned /*cost*/, secret& /*into*/) noexcept {
  return false;
}

bool make_hmac(const secret& /*key*/, std::span<const std::byte> /*bytes*/, hmac& /*into*/) noexcept { return false; }

bool is_equal(const hmac& one, const hmac& other) noexcept { return std::ranges::equal(one, other); }

struct message_cipher::context {};

void message_cipher::context_deleter::operator()(context* old) const noexcept { delete old; }

bool message_cipher::start(direction way, const secret& /*key*/) noexcept {
  direction_ = way;
  return false;
}

bool message_cipher::begin(const cipher_nonce& /*nonce*/, std::span<const std::byte> /*associated*/) noexcept {
  return false;
}

bool message_cipher::transform(std::span<const std::byte> /*piece*/, std::byte* /*into*/) noexcept { return false; }
bool message_cipher::finish(cipher_tag& /*tag*/) noexcept { return false; }
bool message_cipher::verify(const cipher_tag& /*tag*/) noexcept { return false; }

}  // namespace freshet::detail

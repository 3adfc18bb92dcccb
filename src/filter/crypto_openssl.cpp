#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <array>
#include <bit>
#include <new>

#include <freshet/endian.hpp>

#include "src/filter/crypto.hpp"

namespace freshet::detail {
namespace {

constexpr int success = 1;  // what OpenSSL's functions return

unsigned char* octets(std::byte* bytes) noexcept { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* octets(const std::byte* bytes) noexcept { return reinterpret_cast<const unsigned char*>(bytes); }

template <auto free>
struct freed_by {
  template <typename T>
  void operator()(T* object) const noexcept {
    free(object);
  }
};
using owned_derivation = std::unique_ptr<EVP_KDF, freed_by<EVP_KDF_free>>;
using owned_digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using owned_derivation_context = std::unique_ptr<EVP_KDF_CTX, freed_by<EVP_KDF_CTX_free>>;

// OpenSSL takes pointers to non-const, but does not change what it reads.
OSSL_PARAM bytes_parameter(const char* name, std::span<const std::byte> bytes) noexcept {
  return OSSL_PARAM_construct_octet_string(name, const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace

std::string_view why_no_encryption() noexcept { return {}; }

void wipe(std::span<std::byte> bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

bool fill_randomly(std::span<std::byte> bytes) noexcept {
  return RAND_bytes(octets(bytes.data()), static_cast<int>(bytes.size())) == success;
}

bool derive_key(std::span<const std::byte> from, std::span<const std::byte> salt, std::string_view info,
                secret& into) noexcept {
  const owned_derivation algorithm{EVP_KDF_fetch(nullptr, "HKDF", nullptr)};
  const owned_derivation_context context{algorithm ? EVP_KDF_CTX_new(algorithm.get()) : nullptr};
  if (!context) return false;
  std::array digest{'S', 'H', 'A', '2', '5', '6', '\0'};
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
                              bytes_parameter(OSSL_KDF_PARAM_KEY, from), bytes_parameter(OSSL_KDF_PARAM_SALT, salt),
                              bytes_parameter(OSSL_KDF_PARAM_INFO, std::as_bytes(std::span{info})),
                              OSSL_PARAM_construct_end()};
  return EVP_KDF_derive(context.get(), octets(into.bytes().data()), secret::length, parameters.data()) == success;
}

bool hash_with_length(std::span<const std::byte> bytes, secret& into) noexcept {
  std::array<std::byte, sizeof(std::uint64_t)> length{};
  store<std::endian::little>(std::uint64_t{bytes.size()}, length);
  const owned_digest_context context{EVP_MD_CTX_new()};
  return context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == success &&
         EVP_DigestUpdate(context.get(), length.data(), length.size()) == success &&
         EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == success &&
         EVP_DigestFinal_ex(context.get(), octets(into.bytes().data()), nullptr) == success;
}

bool derive_from_passphrase(std::span<const std::byte> passphrase, std::span<const std::byte> salt, unsigned cost,
                            secret& into) noexcept {
  constexpr std::uint64_t block_factor = 8, parallelism = 1;
  const std::uint64_t iterations = std::uint64_t{1} << cost;
  // scrypt takes 128 r N bytes, and a little more.
  const std::uint64_t memory = 128 * block_factor * (iterations + 16);
  return EVP_PBE_scrypt(reinterpret_cast<const char*>(passphrase.data()), passphrase.size(), octets(salt.data()),
                        salt.size(), iterations, block_factor, parallelism, memory, octets(into.bytes().data()),
                        secret::length) == success;
}

bool make_hmac(const secret& key, std::span<const std::byte> bytes, hmac& into) noexcept {
  std::size_t length = 0;
  return EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.bytes().data(), secret::length,
                   octets(bytes.data()), bytes.size(), octets(into.data()), into.size(), &length) != nullptr &&
         length == into.size();
}

bool is_equal(const hmac& one, const hmac& other) noexcept {
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

// OpenSSL's own context; freeing it wipes the key.
struct message_cipher::context {
  context() noexcept = default;
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() { EVP_CIPHER_CTX_free(evp); }

  EVP_CIPHER_CTX* evp = EVP_CIPHER_CTX_new();
};

void message_cipher::context_deleter::operator()(context* old) const noexcept { delete old; }

bool message_cipher::start(direction way, const secret& key) noexcept {
  direction_ = way;
  context_.reset(new (std::nothrow) context);
  if (!context_ || context_->evp == nullptr) return false;
  return EVP_CipherInit_ex2(context_->evp, EVP_aes_256_gcm(), octets(key.bytes().data()), nullptr,
                            way == direction::seal ? 1 : 0, nullptr) == success;
}

bool message_cipher::begin(const cipher_nonce& nonce, std::span<const std::byte> associated) noexcept {
  EVP_CIPHER_CTX* const evp = context_->evp;
  int length = 0;
  return EVP_CipherInit_ex2(evp, nullptr, nullptr, octets(nonce.data()), direction_ == direction::seal ? 1 : 0,
                            nullptr) == success &&
         EVP_CipherUpdate(evp, nullptr, &length, octets(associated.data()), static_cast<int>(associated.size())) ==
             success;
}

bool message_cipher::transform(std::span<const std::byte> piece, std::byte* into) noexcept {
  if (piece.empty()) return true;
  int length = 0;
  return EVP_CipherUpdate(context_->evp, octets(into), &length, octets(piece.data()), static_cast<int>(piece.size())) ==
         success;
}

bool message_cipher::finish(cipher_tag& tag) noexcept {
  EVP_CIPHER_CTX* const evp = context_->evp;
  int length = 0;
  return EVP_CipherFinal_ex(evp, nullptr, &length) == success &&
         EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data()) == success;
}

bool message_cipher::verify(const cipher_tag& tag) noexcept {
  EVP_CIPHER_CTX* const evp = context_->evp;
  cipher_tag expected = tag;
  int length = 0;
  return EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(expected.size()), expected.data()) ==
             success &&
         EVP_CipherFinal_ex(evp, nullptr, &length) == success;
}

}  // namespace freshet::detail

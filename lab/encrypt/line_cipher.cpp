#include "lab/encrypt/line_cipher.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace freshet::tool {
namespace {

// OpenSSL counts in int, so it is given pieces. A piece is a whole number of Base64's groups.
constexpr std::size_t plain_piece = std::size_t{3} << 20;
constexpr std::size_t base64_piece = plain_piece / 3 * 4;

constexpr std::array<unsigned char, 32> cipher_key = [] {
  std::array<unsigned char, 32> bytes = {};
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<unsigned char>(at);
  return bytes;
}();

const unsigned char* octets(const char* text) { return reinterpret_cast<const unsigned char*>(text); }
unsigned char* octets(char* text) { return reinterpret_cast<unsigned char*>(text); }

[[gnu::noinline]] void xor_pass(std::span<char> bytes, unsigned char with) {
  unsigned char* const first = octets(bytes.data());
  std::transform(first, first + bytes.size(), first,
                 [with](unsigned char octet) { return static_cast<unsigned char>(octet ^ with); });
}

// OpenSSL writes a "\0" after the text. Precondition: `room` has space for that, too.
std::size_t encode(std::span<const char> plain, char* room) {
  const char* const begin = room;
  while (!plain.empty()) {
    const auto piece = plain.first(std::min(plain.size(), plain_piece));
    room += EVP_EncodeBlock(octets(room), octets(piece.data()), static_cast<int>(piece.size()));
    plain = plain.subspan(piece.size());
  }
  return static_cast<std::size_t>(room - begin);
}

[[noreturn]] void reject(const char* why) { throw std::invalid_argument{why}; }

// Accepts only what encode() writes. OpenSSL itself skips blanks and takes "=" for a zero anywhere.
std::size_t decode(std::string_view text, char* room) {
  if (text.size() % 4 != 0) reject("not Base64: its length is not a multiple of 4");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (text.substr(0, text.size() - padding).find('=') != std::string_view::npos)
    reject("not Base64: \"=\" before its end");
  const std::size_t length = text.size() / 4 * 3 - padding;
  for (char* end = room; !text.empty(); end += plain_piece) {
    const auto piece = text.substr(0, base64_piece);
    const int length_of_piece = EVP_DecodeBlock(octets(end), octets(piece.data()), static_cast<int>(piece.size()));
    if (length_of_piece < 0 || static_cast<std::size_t>(length_of_piece) != piece.size() / 4 * 3)
      reject("not Base64: a character that is none of its alphabet");
    text.remove_prefix(piece.size());
  }
  if (std::any_of(room + length, room + length + padding, [](char octet) { return octet != 0; }))
    reject("not Base64: bits that stand for nothing are set at its end");
  return length;
}

}  // namespace

struct line_cipher::engine {
  struct release {
    void operator()(EVP_CIPHER_CTX* used) const noexcept { EVP_CIPHER_CTX_free(used); }
  };

  engine() : context{EVP_CIPHER_CTX_new()} {
    if (context == nullptr ||
        EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr, cipher_key.data(), nullptr) != 1)
      fail();
  }

  // Encrypts `bytes` in place; the counter starts at number · 2^64.
  void pass(unsigned number, std::span<char> bytes) const {
    std::array<unsigned char, 16> counter = {};
    for (std::size_t at = 8; at-- > 4; number >>= 8) counter[at] = static_cast<unsigned char>(number);
    if (EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, counter.data()) != 1) fail();
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), plain_piece));
      int encrypted = 0;
      if (EVP_EncryptUpdate(context.get(), octets(piece.data()), &encrypted, octets(piece.data()),
                            static_cast<int>(piece.size())) != 1)
        fail();
      bytes = bytes.subspan(piece.size());
    }
  }

  [[noreturn]] static void fail() { throw std::runtime_error{"OpenSSL refuses AES-256-CTR"}; }

  std::unique_ptr<EVP_CIPHER_CTX, release> context;
};

line_cipher::line_cipher(const cipher_plan& plan)
    : plan_{plan}, engine_{plan.cipher == cipher_kind::aes ? std::make_unique<engine>() : nullptr} {}
line_cipher::line_cipher(line_cipher&&) noexcept = default;
line_cipher& line_cipher::operator=(line_cipher&&) noexcept = default;
line_cipher::~line_cipher() = default;

std::size_t line_cipher::room_for(std::size_t length) const noexcept {
  // The last byte is for OpenSSL's "\0".
  return plan_.decrypt ? length / 4 * 3 : (length + 2) / 3 * 4 + 1;
}

std::size_t line_cipher::transform(std::string_view line, std::span<char> room) {
  return plan_.decrypt ? decrypt(line, room) : encrypt(line, room);
}

std::size_t line_cipher::encrypt(std::string_view line, std::span<char> room) {
  if (plan_.work == 0) return encode(line, room.data());
  const std::size_t needed = line.size() / sizeof(cache_lines) + 1;
  if (passes_.size() < needed) passes_.resize(needed);
  const std::span bytes{passes_.front().bytes.data(), line.size()};
  std::copy(line.begin(), line.end(), bytes.begin());
  make_passes(bytes);
  return encode(bytes, room.data());
}

std::size_t line_cipher::decrypt(std::string_view line, std::span<char> room) {
  const std::size_t length = decode(line, room.data());
  make_passes(room.first(length));
  return length;
}

void line_cipher::make_passes(std::span<char> bytes) {
  for (unsigned number = 0; number < plan_.work; ++number) {
    if (engine_)
      engine_->pass(number, bytes);
    else
      xor_pass(bytes, static_cast<unsigned char>(number));
    // Every fourth pass of xor_bytes undoes the three before it, so the compiler must not merge passes.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

}  // namespace freshet::tool

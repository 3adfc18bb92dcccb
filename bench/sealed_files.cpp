// Encrypts or writes as many bytes as sealed_files.py wants, and prints the seconds that it took.
//   bench_sealed_files cipher|plain|sealed|disk|sealed-disk PATH MIB [at-rest]
// `cipher` seals messages of 16 KiB with AES-256-GCM in memory, as `openssl speed` does; `plain` writes a file until it
// is closed, in pieces of 1 MiB; `sealed` writes it encrypted; `disk` and `sealed-disk` write it by `uring`. With
// "at-rest", memory that the host backs is held, so that the file gets other memory, as after some idle seconds of the
// whole machine.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <freshet/encryption.hpp>
#include <freshet/writer.hpp>

#include "bench/trial_words.hpp"
#include "src/filter/sealed_format.hpp"

namespace {

using namespace freshet;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

void seal_messages(std::span<std::byte> memory, std::uint64_t pieces) {
  constexpr std::size_t message = std::size_t{16} << 10;
  const detail::secret key;
  detail::message_cipher cipher;
  detail::cipher_tag tag;
  if (!cipher.start(detail::message_cipher::direction::seal, key)) std::abort();
  const auto one = memory.first(message);
  for (std::uint64_t number = 0; number < pieces * (mebibyte / message); ++number)
    if (!cipher.begin(detail::nonce_of(number, false), {}) || !cipher.transform(one, one.data()) || !cipher.finish(tag))
      std::abort();
}

void write_file(const char* path, std::span<const std::byte> piece, std::uint64_t pieces,
                const writer_options& options) {
  writer out{path, options};
  for (std::uint64_t number = 0; number < pieces; ++number) out.write(piece);
  out.close();
}

}  // namespace

int main(int count, char** words) {
  if (count < 4)
    return std::fputs("usage: bench_sealed_files cipher|plain|sealed|disk|sealed-disk PATH MIB [at-rest]\n", stderr), 2;
  const std::string_view way = words[1];
  const std::uint64_t pieces = std::strtoull(words[3], nullptr, 10);
  std::vector<std::byte> piece(mebibyte);
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<std::byte>(i * 131 + i / 256);
  const encryption_key key{std::span{piece}.first<encryption_key::size>()};
  const bench::backed_memory held{count > 4};
  const auto begin = std::chrono::steady_clock::now();
  if (way == "cipher")
    seal_messages(piece, pieces);
  else
    write_file(words[2], piece, pieces,
               {.method = way.ends_with("disk") ? "uring" : "auto", .key = way.starts_with("sealed") ? &key : nullptr});
  std::printf("%.3f\n", std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count());
}

// sealed_letter KEY FILE: writes a file that is compressed and encrypted, and reads it back. KEY holds 32 random bytes:
//   head -c 32 /dev/urandom >KEY
#include <freshet/encryption.hpp>
#include <freshet/lines.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <cstdio>
#include <exception>

int main(int count, char** words) try {
  if (count != 3) {
    std::fputs("usage: sealed_letter KEY FILE\n", stderr);
    return 2;
  }
  const auto key = freshet::encryption_key::from_file(words[1]);
  freshet::writer out{words[2], {.key = &key, .compression = {.format = freshet::compression_format::zstd}}};
  for (int line = 0; line < 1000; ++line) out.write("Dear friend, nobody else can read this.\n");
  out.close();

  int lines = 0;
  const freshet::reader_options how{.key = &key, .decompression = freshet::decompression::automatic};
  for ([[maybe_unused]] const auto line : freshet::lines(freshet::reader{words[2], how})) ++lines;
  std::printf("%d lines\n", lines);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "sealed_letter: %s\n", failure.what());  // another key; a file that was changed or cut
  return 1;
}

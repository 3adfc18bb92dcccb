#include "tool/command/encryption_arguments.hpp"

#include <algorithm>

#include "tool/base/reject.hpp"
#include "tool/command/arguments.hpp"
#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {
contender parse_strategy(std::string_view text) {
  const auto all = sweep_contenders();
  const auto found = std::ranges::find(all, text, [](const contender& how) { return name_of(how); });
  if (found != all.end()) return *found;
  reject(text, "a strategy", "expected streaming, buffering, pipelined, async or auto");
}

cipher_kind parse_cipher(std::string_view text) {
  if (const auto cipher = cipher_named(text)) return *cipher;
  reject(text, "a cipher", "expected xor or aes");
}

std::string_view to_string(stream_kind streams) { return streams == stream_kind::std ? "std" : "freshet"; }

stream_kind parse_streams(std::string_view text) {
  return parse_kind(text, std::array{stream_kind::std, stream_kind::freshet}, "a kind of streams");
}

unsigned parse_threads(std::string_view text) {
  return parse_number<unsigned>(text, 1, most_threads, "a number of threads");
}

unsigned parse_work(std::string_view text) {
  constexpr unsigned most_work = 1'000'000'000;
  return parse_number<unsigned>(text, 0, most_work, "a number of passes");
}

corpus_shape parse_corpus(std::string_view text) {
  const auto all = sweep_corpora();
  const auto found = std::ranges::find(all, text, &corpus_shape::name);
  if (found != all.end()) return *found;
  reject(text, "a corpus", "expected small-files, short-lines, long-lines or large-files");
}

}  // namespace freshet::tool

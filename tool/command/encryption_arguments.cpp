#include "tool/command/encryption_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "tool/command/arguments.hpp"
#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {
namespace {

unsigned parse_number(std::string_view text, unsigned least, unsigned most, std::string_view what) {
  unsigned number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || rest != text.data() + text.size() || number < least || number > most)
    reject(text, what, fmt::format("{} to {}", least, most));
  return number;
}

}  // namespace

contender parse_contender(std::string_view text) {
  const auto all = sweep_contenders();
  const auto found = std::ranges::find(all, text, [](const contender& how) { return name_of(how); });
  if (found != all.end()) return *found;
  reject(text, "a strategy", "streaming, buffering, pipelined, async or auto");
}

cipher_kind parse_cipher(std::string_view text) {
  if (const auto cipher = cipher_named(text)) return *cipher;
  reject(text, "a cipher", "xor or aes");
}

stream_kind parse_streams(std::string_view text) {
  if (text == "std") return stream_kind::std;
  if (text == "freshet") return stream_kind::freshet;
  reject(text, "a kind of streams", "std or freshet");
}

unsigned parse_threads(std::string_view text) { return parse_number(text, 1, most_threads, "a number of threads"); }

unsigned parse_work(std::string_view text) {
  constexpr unsigned most_work = 1'000'000'000;
  return parse_number(text, 0, most_work, "a number of passes");
}

corpus_shape parse_corpus(std::string_view text) {
  const auto all = sweep_corpora();
  const auto found = std::ranges::find(all, text, &corpus_shape::name);
  if (found != all.end()) return *found;
  reject(text, "a corpus", "small-files, short-lines, long-lines or large-files");
}

}  // namespace freshet::tool

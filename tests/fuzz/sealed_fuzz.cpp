// Reads arbitrary bytes as a sealed file, changes of one, and chunks that are authentic but need not fit together. What
// is handed out must be a prefix of what was sealed; jumps and sizes must agree with reading from front to back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tests/support/sealed_bytes.hpp"

namespace {

using namespace freshet;

constexpr std::size_t segment = detail::smallest_segment;

void require(bool holds) {
  if (!holds) std::abort();
}

const encryption_key& key() {
  static const encryption_key made = test::key_of(1);
  return made;
}

const std::string& plain() {
  static const std::string made = [] {
    std::string bytes;
    for (std::size_t i = 0; i < 3 * segment; ++i) bytes += static_cast<char>(i * 7 + i / 256);
    return bytes;
  }();
  return made;
}

const std::string& stored() {
  static const std::string made = test::sealed(plain(), key(), segment, {10, 50, 5000});
  return made;
}

// Bytes of the input, from its front; zeros when it is used up.
class numbers {
 public:
  explicit numbers(std::string_view text) : text_{text} {}
  [[nodiscard]] bool empty() const { return text_.empty(); }
  std::size_t take(std::size_t bytes) {
    std::size_t value = 0;
    for (; bytes > 0; --bytes) {
      value = value << 8 | (text_.empty() ? 0 : static_cast<unsigned char>(text_.front()));
      text_ = text_.substr(std::min<std::size_t>(text_.size(), 1));
    }
    return value;
  }

 private:
  std::string_view text_;
};

void check_change(numbers input) {
  std::string changed = stored();
  while (!input.empty()) {
    const std::size_t at = input.take(2) % changed.size();
    const std::size_t length = std::min(input.take(2), changed.size() - at);
    switch (input.take(1) % 4) {
      case 0:
        changed[at] = static_cast<char>(input.take(1));
        break;
      case 1:
        changed.erase(at, length);
        break;
      case 2:
        changed.insert(at, changed.substr(input.take(2) % changed.size(), length));
        break;
      default:
        changed.replace(at, length, stored().substr(input.take(2) % stored().size(), length));
    }
    if (changed.empty() || changed.size() > 10 * segment) break;
  }
  const auto read = test::unseal(changed, key());
  require(plain().starts_with(read.plain));
  require(read.failure || read.plain == plain());
  require(read.failure || changed == stored());
  // Who accepts a file without its end gets the same bytes.
  require(test::unseal(changed, key(), segment, true).plain == read.plain);
}

// Chunks with the right key, as no writer makes them.
std::string forge(numbers input) {
  detail::file_keys keys;
  detail::sealed_header::bytes header;
  const auto problem = detail::make_header(*key().contents(), detail::sealed_header{.segment = segment}, header, keys);
  require(problem.code == std::errc{});
  std::string file{reinterpret_cast<const char*>(header.data()), header.size()};
  detail::message_cipher cipher;
  require(cipher.start(detail::message_cipher::direction::seal, keys.chunks));
  const detail::segment_layout layout{segment};
  while (!input.empty() && file.size() < 10 * segment) {
    file.append(input.take(1) % 8 == 0 ? input.take(1) : layout.padding(file.size()), '\0');
    const std::size_t length = std::min<std::size_t>(input.take(2), 2 * segment);
    const auto head = detail::chunk_head{.offset = input.take(input.take(1) % 9),
                                         .content = static_cast<std::uint32_t>(length),
                                         .is_last = input.take(1) % 4 == 0}
                          .encode();
    std::string content(length, 'x');
    detail::cipher_tag tag;
    require(cipher.begin(detail::nonce_of(file.size(), detail::chunk_head::decode(head).is_last), head));
    require(cipher.transform(std::as_bytes(std::span{content}), std::as_writable_bytes(std::span{content}).data()));
    require(cipher.finish(tag));
    for (const auto part :
         {std::span<const std::byte>{head}, std::as_bytes(std::span{content}), std::span<const std::byte>{tag}})
      file.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return file;
}

void check_jumps(std::string_view file, numbers input, bool accepts_unclosed) {
  const auto whole = test::unseal(file, key(), segment, accepts_unclosed);
  try {
    const auto in = test::unsealing(std::make_unique<test::memory_source>(file), key(), accepts_unclosed);
    std::error_code failure;
    const auto size = in->size(failure);
    require(failure || whole.failure || size == whole.plain.size());
    for (int jumps = 0; jumps < 4 && !in->failure(); ++jumps) {
      const std::size_t offset = input.take(2);
      in->seek(offset);
      if (!in->next_window()) continue;
      const std::string_view got{reinterpret_cast<const char*>(in->window().data()), in->window().size()};
      require(got.size() <= segment);
      if (!whole.failure) require(std::string_view{whole.plain}.substr(offset).starts_with(got));
    }
  } catch (const error&) {
    require(bool{whole.failure});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (text.empty()) return 0;
  const auto rest = text.substr(1);
  if (text.front() % 3 == 0) {
    require(bool{test::unseal(rest, key()).failure});
  } else if (text.front() % 3 == 1) {
    check_change(numbers{rest});
  } else {
    const std::string file = forge(numbers{rest});
    for (const bool accepts_unclosed : {false, true}) check_jumps(file, numbers{rest}, accepts_unclosed);
  }
  return 0;
}

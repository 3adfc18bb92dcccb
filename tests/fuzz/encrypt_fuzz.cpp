// Parses arbitrary bytes as a manifest and decrypts them as lines. Accepted input must survive a round trip and must
// not name files in other directories; all other input must be rejected with the documented error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/error.hpp>

#include "lab/encrypt/line_cipher.hpp"
#include "lab/encrypt/manifest.hpp"

namespace {

using namespace freshet::tool;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_manifest(std::string_view text) {
  try {
    const manifest read = parse_manifest(text, "fuzz");
    require(parse_manifest(to_text(read), "again") == read);
    require(describe_difference(read, read).empty());
    for (const input_file& file : read.inputs)
      require(!file.name.empty() && file.name.find('/') == std::string::npos && file.name != "." && file.name != "..");
  } catch (const freshet::error&) {
    // Rejected, as documented.
  }
}

std::string transform(const cipher_plan& plan, std::string_view line) {
  line_cipher cipher{plan};
  std::string room(cipher.room_for(line.size()), '\0');
  room.resize(cipher.transform(line, room));
  return room;
}

void check_line(std::string_view line, cipher_plan plan) {
  plan.decrypt = true;
  std::string plain;
  try {
    plain = transform(plan, line);
  } catch (const std::invalid_argument&) {
    return;
  }
  plan.decrypt = false;
  require(transform(plan, plain) == line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check_manifest(text);
  if (text.empty()) return 0;
  const cipher_kind cipher = text.front() % 2 == 0 ? cipher_kind::xor_bytes : cipher_kind::aes;
  check_line(text.substr(1), {.cipher = cipher, .work = static_cast<unsigned>(text.front() & 7)});
  return 0;
}

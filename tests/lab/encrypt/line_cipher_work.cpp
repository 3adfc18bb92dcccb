// Transforms the same line several times, so that a test can count the instructions.
//   line_cipher_work xor|aes WORK LENGTH LINES
#include <cstdlib>
#include <string>
#include <string_view>

#include "lab/encrypt/line_cipher.hpp"

int main(int count, char** words) {
  using freshet::tool::cipher_kind;
  if (count != 5) return 2;
  const auto cipher = std::string_view{words[1]} == "aes" ? cipher_kind::aes : cipher_kind::xor_bytes;
  const std::string line(std::stoul(words[3]), 'x');
  freshet::tool::line_cipher treated{{.cipher = cipher, .work = static_cast<unsigned>(std::stoul(words[2]))}};
  std::string room(treated.room_for(line.size()), '\0');
  for (unsigned long left = std::stoul(words[4]); left != 0; --left)
    if (treated.transform(line, room) == 0) return 1;
  return 0;
}

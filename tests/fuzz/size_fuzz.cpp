// Reads arbitrary bytes as what a user types for a size. Each size must survive a round trip through its number of
// bytes, and everything else must be refused by a message that a terminal can show.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tool/base/text.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Parse>
void require_plain_refusal(Parse parse) {
  try {
    parse();
  } catch (const std::invalid_argument& refusal) {
    for (const char each : std::string_view{refusal.what()}) require(!freshet::tool::is_control(each) || each == '\n');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  require_plain_refusal([&] {
    const auto bytes = freshet::tool::parse_size(text);
    require(freshet::tool::parse_size(std::to_string(bytes)) == bytes);
    require(!freshet::tool::format_size(bytes).empty());
  });
  require_plain_refusal([&] { require(!freshet::tool::parse_sizes(text).empty()); });
  return 0;
}

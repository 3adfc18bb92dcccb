#include "src/stream/conversion.hpp"

#include <cwchar>
#include <string>

namespace freshet::detail {
namespace {

using facet = std::codecvt<char, char, std::mbstate_t>;

// The shortest text with every pair of bytes: a de Bruijn sequence, and its first byte once more.
std::string every_pair_of_bytes() {
  constexpr int bytes = 256;
  std::string text;
  for (int first = 0; first < bytes; ++first) {
    text += static_cast<char>(first);
    for (int second = first + 1; second < bytes; ++second) {
      text += static_cast<char>(first);
      text += static_cast<char>(second);
    }
  }
  return text += '\0';
}

// Whether `convert`, which is in() or out() of a facet, leaves `text` as it is.
template <typename Convert>
bool keeps(const std::string& text, Convert convert) {
  std::mbstate_t state{};
  std::string converted(text.size(), '\0');
  const char* const end = text.data() + text.size();
  const char* taken = nullptr;
  char* written = nullptr;
  const auto result =
      convert(state, text.data(), end, taken, converted.data(), converted.data() + converted.size(), written);
  return result == facet::noconv ||
         (result == facet::ok && taken == end && written == converted.data() + converted.size() && converted == text);
}

}  // namespace

bool may_convert(const std::locale& locale) noexcept try {
  const auto& conversion = std::use_facet<facet>(locale);
  if (conversion.always_noconv()) return false;
  if (conversion.encoding() != 1) return true;
  const std::string text = every_pair_of_bytes();
  return !keeps(text, [&](auto&&... arguments) { return conversion.out(arguments...); }) ||
         !keeps(text, [&](auto&&... arguments) { return conversion.in(arguments...); });
} catch (...) {
  return true;
}

}  // namespace freshet::detail

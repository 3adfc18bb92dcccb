#include <charconv>

#include "src/os/environment.hpp"

namespace freshet::detail::os {

bool is_release_at_least(std::string_view release, unsigned major, unsigned minor) noexcept {
  unsigned first = 0;
  unsigned second = 0;
  const char* const end = release.data() + release.size();
  const auto dot = std::from_chars(release.data(), end, first);
  if (dot.ec != std::errc{} || dot.ptr == end || *dot.ptr != '.') return false;
  if (std::from_chars(dot.ptr + 1, end, second).ec != std::errc{}) return false;
  return first != major ? first > major : second >= minor;
}

}  // namespace freshet::detail::os

#include "tool/store/attempt.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "src/os/environment.hpp"

namespace freshet::tool {

std::string describe_attempt(std::int64_t attempt, const std::filesystem::path& store) {
  return fmt::format("{} {}", attempt, std::filesystem::absolute(store).lexically_normal().string());
}

std::int64_t attempt_of_this_process(const std::filesystem::path& store) {
  const std::string text = detail::os::secure_environment(attempt_variable).value_or("");
  std::int64_t attempt = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), attempt);
  return fault == std::errc{} && text == describe_attempt(attempt, store) ? attempt : 0;
}

}  // namespace freshet::tool

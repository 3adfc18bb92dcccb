#include "tool/base/json_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "src/os/native_string.hpp"
#include "tool/base/access.hpp"

namespace freshet::tool {

std::string to_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

void require_writable(const std::string& name) {
  namespace fs = std::filesystem;
  if (name.empty() || name == "-") return;
  const fs::path path = detail::to_native(name);
  std::error_code unseen;
  if (fs::is_directory(path, unseen)) throw error{std::make_error_code(std::errc::is_a_directory), "write", path};
  if (const std::error_code refused = why_not_writable(path)) throw error{refused, "write", path};
}

void write_text(std::string_view text, const std::string& name) {
  if (name.empty()) return;
  if (name == "-") {
    fmt::print("{}", text);
    return;
  }
  writer out{name, {.method = "buffered"}};
  out.write(text);
  out.close();
}

void write_json(const nlohmann::json& value, const std::string& name) {
  if (name.empty()) return;
  write_text(to_text(value, 2) + '\n', name);
}

}  // namespace freshet::tool

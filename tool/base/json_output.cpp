#include "tool/base/json_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

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
  const fs::path path = name;
  std::error_code unseen;
  if (fs::is_directory(path, unseen)) throw error{std::make_error_code(std::errc::is_a_directory), "write", path};
  const bool exists = fs::exists(path, unseen);
  // The dot makes the check fail if the parent is not a directory.
  const fs::path asked = exists ? path : path.parent_path() / ".";
  if (::faccessat(AT_FDCWD, asked.c_str(), exists ? W_OK : W_OK | X_OK, AT_EACCESS) != 0)
    throw error{{errno, std::system_category()}, "write", path};
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

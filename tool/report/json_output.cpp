#include "report/json_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include <freshet/writer.hpp>

namespace freshet::tool {

void write_json(const nlohmann::json& made, const std::string& name) {
  if (name.empty()) return;
  // Texts from the system (paths, mount options) may be any bytes.
  const std::string text = made.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  if (name == "-") {
    fmt::print("{}", text);
    return;
  }
  writer out{name, {.method = "buffered"}};
  out.write(text);
  out.close();
}

}  // namespace freshet::tool

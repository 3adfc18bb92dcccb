#include <freshet/error.hpp>

namespace freshet {
namespace {

std::string explain(const std::error_code& code, std::string_view operation, const std::filesystem::path& path,
                    std::uint64_t offset, std::string_view detail) {
  std::string text{operation};
  if (!path.empty()) text += " '" + path.string() + "'";
  if (offset != error::no_offset) text += " at offset " + std::to_string(offset);
  text += ": " + code.message();
  if (!detail.empty()) text.append(" (").append(detail).append(")");
  return text;
}

}  // namespace

error::error(std::error_code code, std::string_view operation, const std::filesystem::path& path, std::uint64_t offset,
             std::string_view detail)
    : std::system_error{code},
      operation_{operation},
      path_{path},
      offset_{offset},
      what_{explain(code, operation, path, offset, detail)} {}

}  // namespace freshet

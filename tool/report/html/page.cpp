#include "tool/report/html/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// A script's source expression in a content security policy: its SHA-256 in Base64.
std::string make_script_hash(std::string_view script) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(script.data(), script.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"SHA-256 is not available"};
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> text{};
  const int written = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(length));
  return fmt::format("'sha256-{}'", std::string{text.begin(), text.begin() + written});
}

// Styles cannot be listed by hash: the chart library sets some on its own elements.
std::string make_policy(std::string_view charts, std::string_view script) {
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      make_script_hash(charts), make_script_hash(script));
}

std::string escape_html(std::string_view text) {
  return replaced(replaced(std::string{text}, "&", "&amp;"), "<", "&lt;");
}

// The value of each {{name}}.
using fillings = std::map<std::string_view, std::string_view>;

// In a single pass, so that no value is searched for names.
std::string fill(std::string_view frame, const fillings& values) {
  constexpr std::size_t none = std::string_view::npos;
  std::string page;
  while (true) {
    const std::size_t open = frame.find("{{");
    const std::size_t close = frame.find("}}", open == none ? frame.size() : open);
    page += frame.substr(0, close == none ? none : open);
    if (close == none) return page;
    page += values.at(frame.substr(open + 2, close - open - 2));
    frame.remove_prefix(close + 2);
  }
}

}  // namespace

std::string json_for_script(const nlohmann::json& data) {
  return replaced(to_text(data), "<", "\\u003c");  // JSON contains "<" only within strings
}

std::string make_page(const nlohmann::json& data, std::string_view drawn, const page_assets& assets) {
  const std::string script =
      fmt::format("{}{}{}", assets.script, drawn.empty() ? assets.undrawn : drawn, assets.later_script);
  const std::string policy = make_policy(assets.charts, script);
  const std::string text = json_for_script(data);
  const std::string notice = escape_html(assets.notice);
  return fill(assets.html, {{"policy", policy},
                            {"style", assets.style},
                            {"data", text},
                            {"charts", assets.charts},
                            {"notice", notice},
                            {"script", script}});
}

}  // namespace freshet::tool

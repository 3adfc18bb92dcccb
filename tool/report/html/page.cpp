#include "tool/report/html/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace freshet::tool {
namespace {

// As a content security policy names a script: its SHA-256 in Base64.
std::string hash_of(std::string_view script) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(script.data(), script.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"SHA-256 is not available"};
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> text{};
  const int written = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(length));
  return fmt::format("'sha256-{}'", std::string{text.begin(), text.begin() + written});
}

// Styles cannot be named so: the chart library sets some on its own elements.
std::string policy_for(const page_assets& assets) {
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      hash_of(assets.charts), hash_of(assets.script));
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

/// What stands for each {{name}}.
using fillings = std::map<std::string_view, std::string_view>;

// In one go, so that nothing in a value is taken for a name.
std::string filled(std::string_view frame, const fillings& values) {
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
  // Texts from the system (paths, mount options) may be any bytes.
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    // Outside of strings JSON has none.
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string make_page(const nlohmann::json& data, const page_assets& assets) {
  const std::string policy = policy_for(assets);
  const std::string text = json_for_script(data);
  const std::string notice = escaped(assets.notice);
  return filled(assets.html, {{"policy", policy},
                              {"style", assets.style},
                              {"data", text},
                              {"charts", assets.charts},
                              {"notice", notice},
                              {"script", assets.script}});
}

}  // namespace freshet::tool

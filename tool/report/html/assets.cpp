#include <string_view>

#include "tool/report/html/page.hpp"

// The beginnings and ends of the files that assets.cmake embeds in the program.
extern "C" {
extern const char freshet_page_html[];
extern const char freshet_page_html_end[];
extern const char freshet_page_style[];
extern const char freshet_page_style_end[];
extern const char freshet_page_script[];
extern const char freshet_page_script_end[];
extern const char freshet_page_undrawn[];
extern const char freshet_page_undrawn_end[];
extern const char freshet_page_later_script[];
extern const char freshet_page_later_script_end[];
extern const char freshet_page_charts[];
extern const char freshet_page_charts_end[];
extern const char freshet_page_notice[];
extern const char freshet_page_notice_end[];
}

namespace freshet::tool {
namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

page_assets built_in_assets() noexcept {
  return {.html = between(freshet_page_html, freshet_page_html_end),
          .style = between(freshet_page_style, freshet_page_style_end),
          .script = between(freshet_page_script, freshet_page_script_end),
          .undrawn = between(freshet_page_undrawn, freshet_page_undrawn_end),
          .later_script = between(freshet_page_later_script, freshet_page_later_script_end),
          .charts = between(freshet_page_charts, freshet_page_charts_end),
          .notice = between(freshet_page_notice, freshet_page_notice_end)};
}

}  // namespace freshet::tool

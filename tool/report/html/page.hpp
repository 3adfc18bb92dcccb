// The file that `freshet report` writes: one HTML page that needs nothing else.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// What the page is made of besides its data.
struct page_assets {
  std::string_view html;    ///< the frame; {{names}} in it are filled
  std::string_view style;   ///< CSS
  std::string_view script;  ///< the page's own
  std::string_view charts;  ///< the chart library; empty: the page says that charts are missing, and has its tables
  std::string_view notice;  ///< what the chart library's licence asks to be passed on
};

/// Those that were built into this program.
[[nodiscard]] page_assets built_in_assets() noexcept;

/// The page that shows `data` (page_data::json()). Its scripts are named by their hashes in its content security
/// policy: no other runs, and nothing is fetched.
[[nodiscard]] std::string make_page(const nlohmann::json& data, const page_assets& assets = built_in_assets());

/// `text` as a JSON text that may stand within <script>.
[[nodiscard]] std::string json_for_script(const nlohmann::json& data);

}  // namespace freshet::tool

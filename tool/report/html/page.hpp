// The file that `freshet report` writes: a single, self-contained HTML page.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// The parts of the page besides its data.
struct page_assets {
  std::string_view html = {};          ///< the frame, in which {{names}} are replaced
  std::string_view style = {};         ///< CSS
  std::string_view script = {};        ///< the page's own script, up to the laboratory's part of it
  std::string_view undrawn = {};       ///< that part where the laboratory has drawn nothing
  std::string_view later_script = {};  ///< the page's own script behind that part
  std::string_view charts = {};        ///< the chart library; if empty, the page says so and shows only its tables
  std::string_view notice = {};        ///< the notice that the chart library's licence requires
};

/// Returns the assets that were built into this program.
[[nodiscard]] page_assets built_in_assets() noexcept;

/// Returns the page that shows `data` (page_data::json()), in which `drawn` (lines_drawing::script) draws what the
/// laboratory measured. Its content security policy allows only its own scripts, by their hashes, and no fetching.
[[nodiscard]] std::string make_page(const nlohmann::json& data, std::string_view drawn,
                                    const page_assets& assets = built_in_assets());

/// Returns `data` as JSON text that is safe within <script>.
[[nodiscard]] std::string json_for_script(const nlohmann::json& data);

}  // namespace freshet::tool

// What `freshet encrypt` prints at its end.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lab/encrypt/measured_run.hpp"

namespace freshet::tool {

[[nodiscard]] std::string to_text(const encryption_report& report);
void to_json(nlohmann::json& text, const encryption_report& report);

}  // namespace freshet::tool

#include "tool/command/presets.hpp"

#include "tool/command/laboratory.hpp"

namespace freshet::tool {

preset_runner& run_preset() noexcept {
  static preset_runner run = [](const preset_options& /*options*/) -> int { start_laboratory(); };
  return run;
}

}  // namespace freshet::tool

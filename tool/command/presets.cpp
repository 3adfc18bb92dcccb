#include "tool/command/presets.hpp"

#include <stdexcept>

#include "tool/command/laboratory.hpp"

namespace freshet::tool {

preset_runner& run_preset() noexcept {
  static preset_runner run = [](const preset_options& /*options*/) -> int {
    if (!has_laboratory_command("peers"))
      throw std::runtime_error{"this freshet was built without peers, which carries out --preset"};
    start_laboratory();
  };
  return run;
}

}  // namespace freshet::tool

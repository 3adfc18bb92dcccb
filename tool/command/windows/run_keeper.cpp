#include "tool/command/run_keeper.hpp"

namespace freshet::tool {

bool has_store() noexcept { return false; }

std::unique_ptr<run_keeper> keep_run(const std::filesystem::path& /*file*/, run& /*begun*/) { return nullptr; }

std::optional<machine_rate> read_machine_rate(const std::filesystem::path& /*file*/, const environment& /*here*/) {
  return {};
}

}  // namespace freshet::tool

// Windows tells programs neither of heat nor of what slowed a processor down.
#include <utility>

#include "tool/base/clock.hpp"
#include "tool/measure/throttle.hpp"

namespace freshet::tool {

throttle_reader::throttle_reader(std::filesystem::path sys, const std::filesystem::path& /*proc*/)
    : sys_{std::move(sys)} {}

throttle_counters throttle_reader::read() const { return {.suspended_seconds = read_suspended_seconds()}; }

}  // namespace freshet::tool

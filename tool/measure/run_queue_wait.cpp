#include <algorithm>

#include "tool/measure/run_queue.hpp"

namespace freshet::tool {

double run_queue_wait::caused_by(double others, unsigned processors) const {
  if (longest <= 0) return 0;
  const double at_once = std::clamp(all / longest, 1.0, static_cast<double>(std::max(processors, 1U)));
  return std::min(longest, others / at_once);
}

}  // namespace freshet::tool

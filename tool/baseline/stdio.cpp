#include "tool/baseline/stdio.hpp"

namespace freshet::tool {

amount write_stdio(const baseline_job& job) { return write_into_stdio<std::fwrite>(job, job.buffer); }

}  // namespace freshet::tool

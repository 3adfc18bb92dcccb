#include "tool/base/text.hpp"
#include "tool/baseline/stdio.hpp"

namespace freshet::tool {

// A tuned program, as `ofstream-tuned`, and with the same buffer.
amount write_stdio_unlocked(const baseline_job& job) {
  return write_into_stdio<fwrite_unlocked>(job, job.buffer == 0 ? default_block : job.buffer);
}

}  // namespace freshet::tool

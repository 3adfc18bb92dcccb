#include "tool/base/interrupt.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace freshet::tool {

void throw_if_interrupted() {
  const int signal = noted_interrupt();
  if (signal != 0) [[unlikely]]
    throw interrupted{signal};
}

void sleep_interruptibly(double seconds) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
  throw_if_interrupted();
  for (auto now = clock::now(); now < end; now = clock::now()) {
    std::this_thread::sleep_for(std::min<clock::duration>(end - now, std::chrono::milliseconds{20}));
    throw_if_interrupted();
  }
}

}  // namespace freshet::tool

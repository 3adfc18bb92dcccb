#include "tool/trial/clean_start.hpp"

#include "tool/measure/quiet.hpp"

namespace freshet::tool {

bool clean_start::wait() {
  constexpr double enough = 0.5;
  bool quiet = false;
  do {
    quiet = wait_until_quiet(directory_, device_name_, idle_);
  } while (quiet && !device_name_.empty() && idle_.seconds() < enough);
  return quiet;
}

void clean_start::provide(memory_state wanted, std::uint64_t bytes) {
  if (wanted == memory_state::rested) return memory_.take_what_is_at_hand();
  memory_.release();
  free_memory_at_once(directory_, bytes);
}

}  // namespace freshet::tool

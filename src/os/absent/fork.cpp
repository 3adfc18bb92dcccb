// Where no process is copied.
#include "src/os/fork.hpp"

namespace freshet::detail::os {

constinit std::atomic<unsigned> fork_state::generation{0};
constinit std::atomic<unsigned> fork_state::count{0};

void process_mutex::list() { is_listed_.store(true, std::memory_order_release); }

fork_subscription::fork_subscription(fork_listener& listener) : listener_{listener} {}

fork_subscription::~fork_subscription() = default;

}  // namespace freshet::detail::os

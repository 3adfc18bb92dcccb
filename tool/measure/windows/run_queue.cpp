// Windows does not tell how long a thread that was ready to run had to wait.
#include "tool/measure/run_queue.hpp"

namespace freshet::tool {

std::map<int, std::uint64_t> read_run_delays(const std::filesystem::path& /*task*/) { return {}; }

run_queue_meter::run_queue_meter(std::optional<int> /*other*/) {}

std::optional<run_queue_wait> run_queue_meter::waited() const { return {}; }

run_queue_meter::of_this_thread::of_this_thread(run_queue_meter& all) : all_{all} {}

run_queue_meter::of_this_thread::~of_this_thread() = default;

}  // namespace freshet::tool

#include <sstream>
#include <system_error>

#include "src/os/queue.hpp"
#include "tool/base/place.hpp"
#include "tool/doctor/reading.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// Of dirty_bytes and dirty_ratio, the one that was set last is not zero (Documentation/admin-guide/sysctl/vm.rst). The
// ratio is of the memory that is available.
std::optional<dirty_limit> read_dirty_limit(const fs::path& proc, std::uint64_t available) {
  const fs::path settings = proc / "sys/vm";
  if (const auto bytes = read_number(settings / "dirty_bytes"); bytes && *bytes > 0)
    return dirty_limit{static_cast<std::uint64_t>(*bytes), *bytes, settings / "dirty_bytes"};
  const auto percent = read_number(settings / "dirty_ratio");
  if (!percent || *percent < 0) return {};
  return dirty_limit{available / 100 * static_cast<std::uint64_t>(*percent), *percent, settings / "dirty_ratio"};
}

// Virtio 1.2, 5.5: device 5 is the balloon, its feature bit 5 is VIRTIO_BALLOON_F_PAGE_REPORTING. The file has a
// character for each bit that the driver accepted, bit 0 first.
fs::path find_reporting_balloon(const fs::path& sys) {
  constexpr std::size_t page_reporting = 5;
  for (const fs::path& each : list_entries(sys / "bus/virtio/devices")) {
    const std::string features = read_first_line(each / "features");
    if (read_first_line(each / "device") == "0x0005" && features.size() > page_reporting &&
        features[page_reporting] == '1')
      return each / "features";
  }
  return {};
}

// "Max locked memory         8388608              8388608              bytes": the soft limit, or "unlimited".
std::optional<std::uint64_t> read_locked_memory(const fs::path& proc) {
  std::istringstream value{find_line(proc / "self/limits", "Max locked memory").value_or("")};
  if (std::uint64_t bytes = 0; value >> bytes) return bytes;
  return {};
}

// Capabilities are a bit mask in hexadecimal digits (proc_pid_status(5)).
bool has_capability(const fs::path& proc, unsigned number) {
  std::istringstream digits{find_line(proc / "self/status", "CapEff:").value_or("")};
  std::uint64_t mask = 0;
  digits >> std::hex >> mask;
  return ((mask >> number) & 1U) != 0;
}

}  // namespace

memory_facts read_memory(const system_roots& roots, unseen_facts& unseen) {
  const fs::path overview = roots.proc / "meminfo";
  memory_facts facts;
  facts.total = read_labelled(overview, "MemTotal:").value_or(0);
  facts.available = read_labelled(overview, "MemAvailable:").value_or(0);
  facts.dirty = read_labelled(overview, "Dirty:").value_or(0) + read_labelled(overview, "Writeback:").value_or(0);
  if (facts.total == 0) unseen.push_back({"free memory", why_unreadable(overview)});
  for (const swap_space& each : list_swaps(roots.proc)) facts.swap_used += each.used;
  facts.limit = read_dirty_limit(roots.proc, facts.available);
  facts.writes_back_by_itself = read_number(roots.proc / "sys/vm/dirty_writeback_centisecs").value_or(1) != 0;
  facts.reporting_balloon = find_reporting_balloon(roots.sys);
  return facts;
}

interface_facts read_interfaces(const system_roots& roots) {
  constexpr unsigned cap_ipc_lock = 14;  // capability.h: the limit does not hold
  interface_facts facts;
  const fs::path setting = roots.proc / "sys/kernel/io_uring_disabled";
  if (const auto disabled = read_number(setting)) facts.uring_disabled = {*disabled, setting};
  if (!has_capability(roots.proc, cap_ipc_lock)) facts.locked_memory = read_locked_memory(roots.proc);
  if (!are_of_this_machine(roots)) return facts;
  using detail::os::queue_kind;
  std::error_code failure;
  if (!detail::os::queue_lease::take(queue_kind::uring, 1, failure))
    facts.uring_refused = detail::os::explain_missing_queue(queue_kind::uring, failure);
  return facts;
}

}  // namespace freshet::tool

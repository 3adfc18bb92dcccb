#include "tool/measure/other_writers.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "tool/measure/process.hpp"

namespace freshet::tool {

other_writers::other_writers(std::set<int> own, std::filesystem::path proc)
    : own_{std::move(own)}, proc_{std::move(proc)} {
  own_.insert(::getpid());
  before_ = look();
}

other_writers::processes other_writers::look() const {
  processes all;
  for (const int number : list_processes(proc_)) {
    auto status = read_process_status(number, proc_);
    if (!status || status->is_kernel_thread) continue;
    all[number] = {.name = std::move(status->name),
                   .parent = status->parent,
                   .started = status->started,
                   .written = read_bytes_written(number, proc_)};
  }
  for (auto& [number, each] : all) {
    // No line of ancestors is longer, even if ids were reused meanwhile.
    int ancestor = number;
    for (std::size_t step = 0; step < all.size() && !own_.contains(ancestor); ++step) {
      const auto at = all.find(ancestor);
      if (at == all.end()) break;
      ancestor = at->second.parent;
    }
    each.is_other = !own_.contains(ancestor);
  }
  return all;
}

// What processes that have ended since had written before: it is in the count of the parent that waited for them.
std::map<int, std::uint64_t> other_writers::inherited_by(const processes& now) const {
  const auto lives = [&](int number, const process& known) {
    const auto at = now.find(number);
    return at != now.end() && at->second.started == known.started;
  };
  std::map<int, std::uint64_t> inherited;
  for (const auto& [number, gone] : before_) {
    if (lives(number, gone)) continue;
    auto heir = before_.find(gone.parent);
    for (std::size_t step = 0; step < before_.size() && heir != before_.end() && !lives(heir->first, heir->second);
         ++step)
      heir = before_.find(heir->second.parent);
    if (heir != before_.end()) inherited[heir->first] += gone.written;
  }
  return inherited;
}

written_by_name other_writers::written() const {
  const processes now = look();
  const auto inherited = inherited_by(now);
  written_by_name all;
  for (const auto& [number, each] : now) {
    if (!each.is_other) continue;
    const auto known = before_.find(number);
    std::uint64_t before = 0;
    if (known != before_.end() && known->second.started == each.started) {
      before = known->second.written;
      if (const auto more = inherited.find(number); more != inherited.end()) before += more->second;
    }
    if (each.written > before) all[each.name] += each.written - before;
  }
  return all;
}

}  // namespace freshet::tool

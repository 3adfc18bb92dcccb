#include "tool/store/store_set.hpp"

#include <algorithm>
#include <utility>

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// "laptop" of /tmp/laptop.sqlite; the whole path where another one has that name, too.
std::string name_store(const fs::path& file, std::span<const fs::path> all) {
  const auto same = [&](const fs::path& other) { return other.stem() == file.stem(); };
  return std::ranges::count_if(all, same) == 1 ? file.stem().string() : file.string();
}

}  // namespace

store_set::store_set(std::span<const fs::path> files) {
  std::int64_t before = 0;
  for (const fs::path& file : files) {
    member one{.kept = store{file}, .name = files.size() == 1 ? "" : name_store(file, files), .before = before};
    for (const run& each : one.kept.runs()) one.last = std::max(one.last, each.id);
    before += one.last;
    members_.push_back(std::move(one));
  }
}

std::vector<run> store_set::runs(const selection& which) const {
  std::vector<run> all;
  for (const member& one : members_) {
    selection there = which;
    if (!select_in(one, there)) continue;
    for (run& each : one.kept.runs(there)) {
      each.id += one.before;
      each.store = one.name;
      // This process can be at work at a step of the first store only.
      if (&one != &members_.front() && each.attempt != 0) each.attempt = -each.attempt;
      all.push_back(std::move(each));
    }
  }
  if (members_.size() > 1) std::ranges::stable_sort(all, {}, &run::started);
  return all;
}

void store_set::each(const selection& which, const std::function<void(record&&)>& take) const {
  for (const member& one : members_) {
    selection there = which;
    if (!select_in(one, there)) continue;
    one.kept.each(there, [&](record&& trial) {
      trial.run += one.before;
      take(std::move(trial));
    });
  }
}

std::uint64_t store_set::count(const selection& which) const {
  std::uint64_t all = 0;
  for (const member& one : members_)
    if (selection there = which; select_in(one, there)) all += one.kept.count(there);
  return all;
}

task_sizes store_set::sizes() const {
  task_sizes all;
  for (const member& one : members_)
    for (const auto& [task, size] : one.kept.sizes())
      all.emplace(std::tuple{std::get<0>(task) + one.before, std::get<1>(task), std::get<2>(task)}, size);
  return all;
}

bool store_set::select_in(const member& one, selection& which) {
  if (which.runs.empty()) return true;
  std::erase_if(which.runs, [&](std::int64_t id) { return id <= one.before || id > one.before + one.last; });
  for (std::int64_t& id : which.runs) id -= one.before;
  return !which.runs.empty();
}

}  // namespace freshet::tool

#include "tool/command/run_keeper.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <stdexcept>

#include "tool/store/attempt.hpp"
#include "tool/store/store.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t latest_runs = 50;  // older ones say less of the disk as it is, and all would take long to read

class kept_in_sqlite final : public run_keeper {
 public:
  kept_in_sqlite(const std::filesystem::path& file, run& begun) : store_{file, store::access::write} {
    begun.attempt = attempt_of_this_process(file);
    begun.id = id_ = store_.begin(begun);
  }

  void add(record& trial) override { store_.add(trial); }
  void end() override { store_.end(id_); }

 private:
  store store_;
  std::int64_t id_ = 0;
};

}  // namespace

bool has_store() noexcept { return true; }

std::unique_ptr<run_keeper> keep_run(const std::filesystem::path& file, run& begun) {
  const std::filesystem::path chosen = file.empty() ? default_store() : file;
  if (chosen.empty())
    throw std::runtime_error{"neither XDG_STATE_HOME nor HOME is set; name the store with --store FILE"};
  return std::make_unique<kept_in_sqlite>(chosen, begun);
}

std::optional<machine_rate> read_machine_rate(const std::filesystem::path& file, const environment& here) {
  try {
    const store kept{file.empty() ? default_store() : file};
    std::vector<run> runs = kept.runs();
    std::erase_if(runs, [&](const run& each) { return !tells_machine_rate(each, here); });
    if (runs.empty()) return {};
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(std::min(runs.size(), latest_runs)));
    std::map<std::int64_t, std::string> began;
    selection which;
    for (run& each : runs) {
      which.runs.push_back(each.id);
      began[each.id] = std::move(each.started);
    }
    machine_rate_search search;
    kept.each(which, [&](record&& trial) { search.add(std::move(trial), began.at(trial.run)); });
    return search.find();
  } catch (const std::exception&) {  // keep_run() has said what is wrong with the store
    return {};
  }
}

}  // namespace freshet::tool

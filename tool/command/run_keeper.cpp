#include "tool/command/run_keeper.hpp"

#include <stdexcept>

#include "tool/campaign/journal.hpp"
#include "tool/store/store.hpp"

namespace freshet::tool {
namespace {

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

}  // namespace freshet::tool

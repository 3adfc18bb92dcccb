// One process at a time works on the campaigns of a store.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "src/os/file.hpp"

namespace freshet::tool {

/// Holds STORE.campaign, a file that stays beside the store. The processes of steps inherit it, so that none can be
/// repeated while it still runs, even if the campaign's own process was killed.
class campaign_lock {
 public:
  /// Waits for what is left of a step that outlived its campaign, and asks it to end by SIGTERM if it takes longer than
  /// 2 s. @param ends  called before that, with the names of the processes
  /// @throws freshet::error  if another process works on a campaign of the store; interrupted
  campaign_lock(const std::filesystem::path& store, const std::function<void(const std::string& processes)>& ends);

  [[nodiscard]] const detail::os::file& file() const noexcept { return file_; }

 private:
  detail::os::file file_;
};

/// The process that works on a campaign of the store; empty if none does.
[[nodiscard]] std::optional<int> process_at_work(const std::filesystem::path& store);

}  // namespace freshet::tool

// Work in a process of its own that is a copy of this one.
#pragma once

#include <functional>

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// Does `work` in a copy of this process, and returns what it returned. The copy runs no destructors of this process's
/// objects and flushes none of its output, and ends with this process, even if that is killed. A signal that this
/// process has noted is passed on to it. Precondition: this process has no other threads.
/// @throws freshet::error; interrupted  what `work` throws
/// @throws child_failure  if the copy ends in any other way, or cannot be started
[[nodiscard]] nlohmann::json run_forked(const std::function<nlohmann::json()>& work);

}  // namespace freshet::tool

// What trials say of the ways between which a file changes, as a profile keeps it.
#pragma once

#include <span>

#include <freshet/profile.hpp>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// Returns the figures of `buffered`, of `writebehind` (or else `dontcache`) and of the best direct method, drawn from
/// the trials that count; those of ways that have none are zero. Where the time to close ranks, a way through the page
/// cache has the seconds that the program waited for its blocks, and a direct one all seconds; where the time to disk
/// does, that. Precondition: `verdict` ranks `candidates`.
[[nodiscard]] measured_ways measure_ways(const class_verdict& verdict, std::span<const candidate> candidates);

}  // namespace freshet::tool

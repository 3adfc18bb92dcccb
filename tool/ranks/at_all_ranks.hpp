// Steps that every rank takes: one that fails somewhere ends the run everywhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/ranks/ranks.hpp"

namespace freshet::tool {

/// Thrown where nothing failed, when another rank reports a failure. No std::exception: rank 0 has said it already.
struct failed_elsewhere {};

/// Has every rank do `step`. Returns at rank 0 what each made of it, by number; nothing elsewhere.
/// @throws what `step` throws, where there is one rank; otherwise, when a step failed, std::runtime_error "rank N:
/// reason" at rank 0 and failed_elsewhere elsewhere; interrupted everywhere, when a rank was
std::vector<std::string> at_all(ranks& all, const std::function<std::string()>& step);

/// Has rank 0 do `step`; returns everywhere what it made. @throws as at_all()
std::string at_first(ranks& all, const std::function<std::string()>& step);

}  // namespace freshet::tool

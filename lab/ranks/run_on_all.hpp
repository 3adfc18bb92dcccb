// Steps that every rank takes part in. A step that fails on one rank ends the run on all of them.
#pragma once

#include <concepts>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/ranks/ranks.hpp"

namespace freshet::tool {
namespace rank_messages {

/// Runs `step` on every rank; returns the results in rank order at the root, and nothing elsewhere.
std::vector<std::string> gather_results(ranks& all, const std::function<std::string()>& step);

/// As text that MPI can carry. A string is carried byte by byte, because a path need not be UTF-8.
template <typename Value>
std::string serialize(const Value& value) {
  if constexpr (std::same_as<Value, std::string>)
    return value;
  else
    return nlohmann::json(value).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}
template <typename Value>
Value deserialize(std::string text) {
  if constexpr (std::same_as<Value, std::string>)
    return text;
  else
    return nlohmann::json::parse(text).get<Value>();
}

}  // namespace rank_messages

/// Runs `step` on every rank. Returns the results in rank order at the root, and an empty vector elsewhere; nothing if
/// `step` returns nothing. A result must be convertible to and from JSON; a run of one process does not convert it.
/// @throws whatever `step` throws if there is one rank; otherwise, when a step failed, std::runtime_error "rank N:
/// reason" at the root and failed_elsewhere on the other ranks; interrupted on every rank when one was interrupted
template <std::invocable Step>
auto run_on_all(ranks& all, const Step& step) {
  using value = std::invoke_result_t<const Step&>;
  if constexpr (std::is_void_v<value>) {
    if (all.count() == 1) return step();
    rank_messages::gather_results(all, [&] { return step(), std::string{}; });
  } else {
    std::vector<value> results;
    if (all.count() == 1) {
      results.push_back(step());
      return results;
    }
    for (std::string& text : rank_messages::gather_results(all, [&] { return rank_messages::serialize(step()); }))
      results.push_back(rank_messages::deserialize<value>(std::move(text)));
    return results;
  }
}

/// Runs `step` at the root and returns its result on every rank. @throws as run_on_all()
template <std::invocable Step>
auto run_on_root(ranks& all, const Step& step) {
  using value = std::invoke_result_t<const Step&>;
  if (all.count() == 1) return step();
  if constexpr (std::is_void_v<value>) {
    run_on_all(all, [&] {
      if (all.is_root()) step();
    });
  } else {
    std::optional<value> result;
    run_on_all(all, [&] {
      if (all.is_root()) result.emplace(step());
    });
    std::string text = all.broadcast(result ? rank_messages::serialize(*result) : std::string{});
    return result ? *std::move(result) : rank_messages::deserialize<value>(std::move(text));
  }
}

}  // namespace freshet::tool

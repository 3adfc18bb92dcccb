#include "lab/ranks/run_on_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

// The first letter of what a rank sends to the root, and of the verdict that the root sends to all. The result, the
// reason or the signal's number follows it.
constexpr char succeeded = 'd';
constexpr char failed = 'f';
constexpr char stopped = 's';

struct step_outcome {
  std::string message;
  std::exception_ptr failure;
};

step_outcome run_step(const std::function<std::string()>& step) {
  try {
    return {succeeded + step(), nullptr};
  } catch (const interrupted& interruption) {
    return {stopped + std::to_string(interruption.signal), std::current_exception()};
  } catch (const std::exception& failure) {
    return {failed + describe_failure(failure), std::current_exception()};
  }
}

// An interruption takes precedence over failures, because it may have caused them.
std::string decide_verdict(const std::vector<std::string>& messages) {
  for (const std::string& each : messages)
    if (each.front() == stopped) return each;
  for (std::size_t rank = 0; rank < messages.size(); ++rank)
    if (messages[rank].front() == failed) return fmt::format("{}rank {}: {}", failed, rank, messages[rank].substr(1));
  return {succeeded};
}

}  // namespace

std::vector<std::string> rank_messages::gather_results(ranks& all, const std::function<std::string()>& step) {
  const step_outcome own = run_step(step);
  std::vector<std::string> messages = all.gather(own.message);
  const std::string verdict = all.broadcast(all.is_root() ? decide_verdict(messages) : std::string{});
  if (verdict.front() == stopped) throw interrupted{std::stoi(verdict.substr(1))};
  if (verdict.front() == failed) {
    if (all.is_root()) throw std::runtime_error{verdict.substr(1)};
    throw failed_elsewhere{};
  }
  for (std::string& each : messages) each.erase(0, 1);
  return messages;
}

}  // namespace freshet::tool

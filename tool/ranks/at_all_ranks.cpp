#include "tool/ranks/at_all_ranks.hpp"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <string_view>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

// What a rank tells rank 0, and rank 0 all of them: how the step ended, and what was made or why not.
constexpr char done = 'd';
constexpr char failed = 'f';
constexpr char stopped = 's';

struct outcome {
  std::string told;
  std::exception_ptr failure;
};

outcome attempt(const std::function<std::string()>& step) {
  try {
    return {done + step(), nullptr};
  } catch (const interrupted& wish) {
    return {stopped + std::to_string(wish.signal), std::current_exception()};
  } catch (const std::exception& failure) {
    return {failed + std::string{failure.what()}, std::current_exception()};
  }
}

// A wish to stop goes before failures: it may well have caused them.
std::string verdict_on(const std::vector<std::string>& told) {
  for (const std::string& each : told)
    if (each.front() == stopped) return each;
  for (std::size_t rank = 0; rank < told.size(); ++rank)
    if (told[rank].front() == failed) return fmt::format("{}rank {}: {}", failed, rank, told[rank].substr(1));
  return {done};
}

}  // namespace

std::vector<std::string> at_all(ranks& all, const std::function<std::string()>& step) {
  const outcome own = attempt(step);
  std::vector<std::string> told = all.to_first(own.told);
  const std::string verdict = all.from_first(all.leads() ? verdict_on(told) : std::string{});
  if (own.failure && all.count() == 1) std::rethrow_exception(own.failure);
  if (verdict.front() == stopped) throw interrupted{std::stoi(verdict.substr(1))};
  if (verdict.front() == failed) {
    if (all.leads()) throw std::runtime_error{verdict.substr(1)};
    throw failed_elsewhere{};
  }
  for (std::string& each : told) each.erase(0, 1);
  return told;
}

std::string at_first(ranks& all, const std::function<std::string()>& step) {
  std::string made;
  at_all(all, [&] {
    if (all.leads()) made = step();
    return std::string{};
  });
  return all.from_first(made);
}

}  // namespace freshet::tool

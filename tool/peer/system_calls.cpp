// What strace counts of a peer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tool/peer/peer_trial.hpp"
#include "tool/peer/toolchains.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
/// A file to trace the writing of, and how many calls are too many to trace a larger one's.
struct traced_file {
  std::uint64_t size;
  double many_per_mib;
};

// A traced call takes a hundred times as long: of those who make many, a smaller file must do.
constexpr std::array<traced_file, 3> traced_files{{{mib / 16, 1e5}, {mib, 2000}, {16 * mib, 0}}};
constexpr double tracing_patience = 60;

// Its table has a line for each kind of call: "% time, seconds, usecs/call, calls, errors (or nothing), name".
std::optional<std::uint64_t> sum_of_calls(const std::filesystem::path& table) {
  constexpr std::size_t calls_at = 3;
  std::ifstream in{table};
  std::optional<std::uint64_t> sum;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    const std::vector<std::string> fields{std::istream_iterator<std::string>{words}, {}};
    if (fields.size() < calls_at + 2 || fields.back() == "total") continue;
    std::uint64_t calls = 0;
    const std::string& text = fields[calls_at];
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), calls);
    if (fault == std::errc{} && end == text.data() + text.size()) sum = sum.value_or(0) + calls;
  }
  return sum;
}

}  // namespace

// Empty where strace cannot do it.
std::optional<std::uint64_t> peer_runner::system_calls(const peer_program& program, std::uint64_t size) {
  const std::filesystem::path table = scratch_.path() / "calls";
  std::vector<std::string> traced{"strace", "-f", "-c", "-o", table};
  std::ranges::move(words(program, size), std::back_inserter(traced));
  prepare(size);
  std::optional<std::uint64_t> sum;
  try {
    child_call traced_call = call(program, std::move(traced));
    traced_call.time_limit = std::min(traced_call.time_limit, tracing_patience);
    child watched{traced_call, child::manner::listen};
    watched.wait_for_success();
    sum = sum_of_calls(table);
  } catch (const child_failure&) {
    // It runs without it, or check() has said why not.
  }
  bytes_written_ += size;
  scratch_.clear();
  return sum;
}

std::optional<double> peer_runner::system_calls_per_mib(const peer_program& program) {
  if (find_command("strace").empty()) return {};
  const auto none = system_calls(program, 0);
  if (!none) return {};
  std::optional<double> found;
  for (const auto& [wished, many_per_mib] : traced_files) {
    const std::uint64_t size = std::min(wanted_.size, wished);
    const auto all = system_calls(program, size);
    if (!all) break;
    const double calls = *all > *none ? static_cast<double>(*all - *none) : 0;
    found = calls * static_cast<double>(mib) / static_cast<double>(size);
    if (*found > many_per_mib || size == wanted_.size) break;
  }
  return found;
}

}  // namespace freshet::tool

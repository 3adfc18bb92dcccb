// Counts a peer's system calls with strace.

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "lab/peers/peer_trial.hpp"
#include "tool/base/child.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
/// The size of a file whose writing is traced, and the number of calls per MiB above which no larger file is traced.
struct traced_file {
  std::uint64_t size;
  double many_per_mib;
};

// A traced call takes a hundred times as long, so peers that make many calls are traced on a smaller file.
constexpr std::array<traced_file, 3> traced_files{{{mib / 16, 1e5}, {mib, 2000}, {16 * mib, 0}}};
constexpr double tracing_time_limit = 60;  // seconds

// strace's table has a line for each system call: "% time, seconds, usecs/call, calls, errors (or nothing), name".
std::optional<std::uint64_t> sum_calls(const std::filesystem::path& table) {
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

// Empty if strace cannot trace it.
std::optional<std::uint64_t> peer_runner::system_calls(const peer_program& program, std::uint64_t size) {
  const std::filesystem::path table = scratch_.path() / "calls";
  std::vector<std::string> traced{"strace", "-f", "-c", "-o", table};
  std::ranges::move(words(program, size), std::back_inserter(traced));
  prepare(size);
  std::optional<std::uint64_t> sum;
  try {
    child_call traced_call = call(program, std::move(traced));
    traced_call.time_limit = std::min(traced_call.time_limit, tracing_time_limit);
    run_program(traced_call);
    sum = sum_calls(table);
  } catch (const child_failure&) {
    // check() reports a peer that fails without strace, too.
  }
  bytes_written_ += size;
  scratch_.clear();
  return sum;
}

std::optional<double> peer_runner::system_calls_per_mib(const peer_program& program) {
  if (find_command("strace").empty()) return {};
  const auto none = system_calls(program, 0);
  if (!none) return {};
  std::optional<double> calls_per_mib;
  for (const auto& [traced_size, many_per_mib] : traced_files) {
    const std::uint64_t size = std::min(wanted_.size, traced_size);
    const auto all = system_calls(program, size);
    if (!all) break;
    const double calls = *all > *none ? static_cast<double>(*all - *none) : 0;
    calls_per_mib = calls * static_cast<double>(mib) / static_cast<double>(size);
    if (*calls_per_mib > many_per_mib || size == wanted_.size) break;
  }
  return calls_per_mib;
}

}  // namespace freshet::tool

#include "tool/trial/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

using finding = std::optional<gate_finding>;

finding invalid(std::string reason) { return gate_finding{trial_validity::invalid, std::move(reason)}; }
finding unknown(std::string reason) { return gate_finding{trial_validity::unknown, std::move(reason)}; }
finding disturbed(std::string reason) { return gate_finding{trial_validity::disturbed, std::move(reason)}; }

bool is_reading(const gate_input& input) { return reads(input.trial.plan.measured_class); }

// The devices of these file systems may rightly see fewer bytes than were written.
bool may_compress(const detail::os::file_system& place) {
  constexpr std::array<std::string_view, 4> types = {"btrfs", "zfs", "bcachefs", "f2fs"};
  return std::ranges::find(types, place.type) != types.end();
}

finding check_method(const gate_input& input) {
  const work_method own{.wanted = input.trial.plan.method, .used = input.trial.method};
  const work_method& method = input.method.wanted.empty() ? own : input.method;
  if (method.wanted == "auto" || method.used == method.wanted) return {};
  return invalid(
      fmt::format("{} by {}, not by {}", is_reading(input) ? "read" : "written", method.used, method.wanted));
}

finding check_cache_drop(const gate_input& input) {
  if (input.drop_failure.empty()) return {};
  return invalid("the cache drop failed: " + input.drop_failure);
}

finding check_content(const gate_input& input) {
  if (input.content_matches) return {};
  return invalid(is_reading(input) ? "what was read is not what was written"
                                   : "the file does not hold what was written");
}

finding check_cold(const gate_input& input) {
  const trial_result& trial = input.trial;
  const std::uint64_t cached = trial.bytes_cached.value_or(trial.bytes);
  if (trial.plan.measured_class != io_class::cold || cached == 0) return {};
  return invalid(fmt::format("not cold: {} bytes of {} were in memory when reading began", cached, trial.bytes));
}

finding check_warm(const gate_input& input) {
  const trial_result& trial = input.trial;
  if (trial.plan.measured_class != io_class::warm || trial.bytes_cached >= trial.bytes) return {};
  if (!trial.bytes_cached) return unknown("the system does not tell what was in memory");
  return invalid(fmt::format("not warm: only {} bytes of {} were in memory", *trial.bytes_cached, trial.bytes));
}

// `seen`: bytes that the device saw; `claimed`: how many the trial says there were, of which it must have seen `share`.
finding check_device_saw(const gate_input& input, std::optional<std::uint64_t> seen, std::uint64_t claimed,
                         double share, std::string_view claim) {
  if (!seen) return unknown(fmt::format("the device below {} cannot be seen", input.place.type));
  if (static_cast<double>(*seen) >= share * static_cast<double>(claimed)) return {};
  auto reason = fmt::format("the device saw {} bytes of {} {}", *seen, claimed, claim);
  if (may_compress(input.place)) return unknown(reason + fmt::format("; {} may compress", input.place.type));
  return invalid(std::move(reason));
}

finding check_durable_bytes(const gate_input& input) {
  if (is_reading(input)) return {};
  return check_device_saw(input, input.trial.device_bytes, input.written, durable_share, "claimed durable");
}

finding check_cold_bytes(const gate_input& input) {
  if (input.trial.plan.measured_class != io_class::cold) return {};
  return check_device_saw(input, input.trial.device_bytes_read, input.trial.bytes, 1, "read cold");
}

finding check_heat(const gate_input& input) {
  if (input.trial.heat_events == 0) return {};
  return disturbed("the CPU was thermally throttled " + format_count(input.trial.heat_events, "time"));
}

finding check_cooling(const gate_input& input) {
  if (input.trial.cooling_steps == 0) return {};
  return disturbed(fmt::format("the CPU was slowed down by {} to cool the machine",
                               format_count(input.trial.cooling_steps, "step")));
}

finding check_quota(const gate_input& input) {
  const double limit = quota_share * input.trial.seconds_to_disk;
  if (input.trial.quota_seconds <= limit) return {};
  return disturbed(fmt::format("a quota withheld {:.3f} s of CPU time, more than {:.3f} s ({:.0f} %)",
                               input.trial.quota_seconds, limit, 100 * quota_share));
}

finding check_stolen(const gate_input& input) {
  const double limit = std::max(stolen_least, stolen_share * input.trial.seconds_to_disk);
  if (input.trial.cpu_stolen <= limit) return {};
  return disturbed(fmt::format("the hypervisor gave {:.2f} s of CPU time to others, more than {:.2f} s",
                               input.trial.cpu_stolen, limit));
}

// Only a trial that needs its processor waits so long for it: one that waits for the disk is not ready to run.
finding check_contention(const gate_input& input) {
  const trial_result& trial = input.trial;
  const double limit = std::max(waited_least, waited_share * trial.seconds_to_close);
  if (trial.cpu_waited.value_or(0) <= limit) return {};
  return disturbed(fmt::format("others had the processors for {:.2f} s of {:.2f} while it was ready to run",
                               *trial.cpu_waited, trial.seconds_to_close));
}

finding check_sleep(const gate_input& input) {
  if (input.trial.suspended_seconds <= suspended_seconds) return {};
  return disturbed(fmt::format("the machine was suspended for {:.2f} s", input.trial.suspended_seconds));
}

// "dd 50 MiB, cp 1 MiB": those that wrote most, and the number of the rest.
std::string list_writers(const std::map<std::string, std::uint64_t>& writers) {
  constexpr std::size_t listed = 3;
  std::vector<std::pair<std::uint64_t, std::string>> most;
  for (const auto& [name, bytes] : writers) most.emplace_back(bytes, name);
  std::ranges::sort(most, std::ranges::greater{});
  std::vector<std::string> names;
  for (const auto& [bytes, name] : std::span{most}.first(std::min(listed, most.size())))
    names.push_back(fmt::format("{} {}", name, format_size(bytes)));
  if (most.size() > listed) names.push_back(fmt::format("and {} more", most.size() - listed));
  return fmt::format("{}", fmt::join(names, ", "));
}

double add_up(const std::map<std::string, std::uint64_t>& writers) {
  std::uint64_t sum = 0;
  for (const auto& [name, bytes] : writers) sum += bytes;
  return static_cast<double>(sum);
}

// Bytes that the file system itself may have written beside the trial's. Only the write calls of other programs'
// blocks are known.
double journal_bytes(const trial_result& trial) {
  if (trial.plan.measured_class != io_class::each_write) return 0;
  const std::uint64_t blocks = trial.block_latency.calls() != 0 ? trial.block_latency.calls() : trial.write_calls;
  return journal_per_block * static_cast<double>(blocks);
}

// Bytes that the device saw beyond those of the trial's files.
double device_excess(const gate_input& input) {
  if (!input.trial.device_bytes) return 0;
  return static_cast<double>(*input.trial.device_bytes) - static_cast<double>(input.written);
}

finding check_other_writers(const gate_input& input) {
  const trial_result& trial = input.trial;
  const double limit = std::max(others_least, others_share * static_cast<double>(trial.bytes));
  const double excess = device_excess(input);
  if (add_up(trial.written_by_others) < limit) return {};
  if (excess - journal_bytes(trial) >= limit)
    return disturbed(fmt::format("others wrote to {} meanwhile, {:.0f} % of the trial's bytes: {}",
                                 input.place.device_name, 100 * excess / static_cast<double>(trial.bytes),
                                 list_writers(trial.written_by_others)));
  if (trial.device_bytes && input.written != 0 && ((may_compress(input.place) && excess < 0) || excess >= limit))
    return unknown(fmt::format("others may have written to {} meanwhile: {}", input.place.device_name,
                               list_writers(trial.written_by_others)));
  return {};
}

// Whether the file system may write all of a file twice: data=journal does, and those that move files as they write.
bool may_write_twice(const detail::os::file_system& place) {
  return may_compress(place) || place.mount_options.find("data=journal") != std::string::npos;
}

// Without a named writer the excess must be clear, since file systems write more than they are told to.
finding check_unnamed_writers(const gate_input& input) {
  if (check_other_writers(input)) return {};
  const double limit = std::max(unnamed_least, unnamed_share * static_cast<double>(input.trial.bytes)) +
                       journal_bytes(input.trial) +
                       (may_write_twice(input.place) ? static_cast<double>(input.written) : 0);
  if (device_excess(input) <= limit) return {};
  return disturbed(fmt::format("{} saw {:.0f} bytes more than were written here; by another process?",
                               input.place.device_name, device_excess(input)));
}

finding check_quiet_start(const gate_input& input) {
  if (input.trial.started_quiet) return {};
  return disturbed(fmt::format("{} was still busy when it began", input.place.device_name));
}

constexpr std::array table = {
    gate{"other method", gate_scope::work, check_method},
    gate{"cache drop", gate_scope::work, check_cache_drop},
    gate{"content", gate_scope::work, check_content},
    gate{"durable bytes", gate_scope::work, check_durable_bytes},
    gate{"cold but cached", gate_scope::work, check_cold},
    gate{"cold bytes", gate_scope::work, check_cold_bytes},
    gate{"warm but not cached", gate_scope::work, check_warm},
    gate{"heat", gate_scope::processors, check_heat},
    gate{"cooling", gate_scope::processors, check_cooling},
    gate{"quota", gate_scope::processors, check_quota},
    gate{"stolen", gate_scope::processors, check_stolen},
    gate{"contention", gate_scope::processors, check_contention},
    gate{"sleep", gate_scope::processors, check_sleep},
    gate{"other writers", gate_scope::device, check_other_writers},
    gate{"unnamed writers", gate_scope::device, check_unnamed_writers},
    gate{"busy start", gate_scope::device, check_quiet_start},
};

void enter_finding(trial_result& trial, gate_finding result) {
  trial.validity = std::max(trial.validity, result.validity);
  trial.reasons.push_back(std::move(result.reason));
}

void apply(trial_result& trial, gate_scope scope, const gate_input& input) {
  for (const gate& each : table)
    if (each.scope == scope)
      if (finding result = each.check(input)) enter_finding(trial, *std::move(result));
  // From here on they name only those who may have disturbed the trial.
  if (scope == gate_scope::device && !check_other_writers(input)) trial.written_by_others.clear();
}

}  // namespace

std::span<const gate> gates() noexcept { return table; }

void apply_gates(trial_result& trial, bool content_matches, const detail::os::file_system& place,
                 const std::string& drop_failure, const work_method& method, std::optional<std::uint64_t> stored) {
  trial.validity = trial_validity::valid;
  trial.reasons.clear();
  trial.wrong_content = !content_matches;
  const gate_input input{.trial = trial,
                         .place = place,
                         .content_matches = content_matches,
                         .drop_failure = drop_failure,
                         .written = reads(trial.plan.measured_class) ? 0 : stored.value_or(trial.bytes),
                         .method = method};
  for (const auto scope : {gate_scope::work, gate_scope::processors, gate_scope::device}) apply(trial, scope, input);
}

void apply_gates(trial_result& trial, gate_scope scope, const detail::os::file_system& place, std::uint64_t written) {
  apply(trial, scope, {.trial = trial, .place = place, .written = written});
}

trial_result without_files(trial_result trial, std::string reason) {
  trial.validity = trial_validity::unknown;
  trial.reasons = {std::move(reason)};
  trial.written_by_others.clear();
  return trial;
}

}  // namespace freshet::tool

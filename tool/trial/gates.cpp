#include "tool/trial/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/size.hpp"

namespace freshet::tool {
namespace {

// Their devices see fewer bytes than were written, and rightly so.
bool may_compress(const detail::os::file_system& place) {
  constexpr std::array<std::string_view, 4> types = {"btrfs", "zfs", "bcachefs", "f2fs"};
  return std::find(types.begin(), types.end(), place.type) != types.end();
}

void find_invalid(trial_result& made, std::string reason) {
  made.validity = trial_validity::invalid;
  made.reasons.push_back(std::move(reason));
}

void find_unknown(trial_result& made, std::string reason) {
  if (made.validity == trial_validity::valid) made.validity = trial_validity::unknown;
  made.reasons.push_back(std::move(reason));
}

// `seen` are the bytes that the device did see of `wanted`, `doing` what was claimed of them.
void judge_device(trial_result& made, const detail::os::file_system& place, std::optional<std::uint64_t> seen,
                  double wanted, std::string_view doing) {
  if (!seen) return find_unknown(made, fmt::format("the device below {} cannot be seen", place.type));
  if (static_cast<double>(*seen) >= wanted) return;
  auto reason = fmt::format("the device saw {} bytes of {} {}", *seen, made.bytes, doing);
  if (may_compress(place))
    find_unknown(made, reason + fmt::format("; {} may compress", place.type));
  else
    find_invalid(made, std::move(reason));
}

void judge_writing(trial_result& made, bool content_matches, const detail::os::file_system& place) {
  if (!content_matches) find_invalid(made, "the file does not hold what was written");
  judge_device(made, place, made.device_bytes, durable_share * static_cast<double>(made.bytes), "claimed durable");
}

// "dd 52428800 bytes, cp 1048576 bytes": those who wrote most, and how many there are besides.
std::string names_of(const std::map<std::string, std::uint64_t>& writers) {
  constexpr std::size_t told = 3;
  std::vector<std::pair<std::uint64_t, std::string>> most;
  for (const auto& [name, bytes] : writers) most.emplace_back(bytes, name);
  std::ranges::sort(most, std::ranges::greater{});
  std::string names;
  for (std::size_t at = 0; at < std::min(told, most.size()); ++at)
    names += fmt::format("{}{} {} bytes", at == 0 ? "" : ", ", most[at].second, most[at].first);
  if (most.size() > told) names += fmt::format(", and {} more", most.size() - told);
  return names;
}

double sum_of(const std::map<std::string, std::uint64_t>& writers) {
  std::uint64_t sum = 0;
  for (const auto& [name, bytes] : writers) sum += bytes;
  return static_cast<double>(sum);
}

// Bytes that the file system itself may write beside the trial's, so that they say nothing of others. Of other
// programs' blocks only their write calls are known.
double journal_bytes(const trial_result& made) {
  if (made.plan.what != io_class::each_write) return 0;
  const std::uint64_t blocks = made.block_latency.calls() != 0 ? made.block_latency.calls() : made.write_calls;
  return journal_per_block * static_cast<double>(blocks);
}

// Whether it may write all of a file twice: data=journal does, and what moves files about as it writes.
bool may_write_twice(const detail::os::file_system& place) {
  return may_compress(place) || place.mount_options.find("data=journal") != std::string::npos;
}

// What nobody is named for must be clear: file systems write more than they were told to.
double unnamed_limit(const trial_result& made, double written, const detail::os::file_system& place) {
  const double allowed = std::max(unnamed_least, unnamed_share * static_cast<double>(made.bytes));
  return allowed + journal_bytes(made) + (may_write_twice(place) ? written : 0);
}

void judge_cold_reading(trial_result& made, const detail::os::file_system& place) {
  if (const std::uint64_t cached = made.bytes_cached.value_or(made.bytes); cached != 0)
    find_invalid(made, fmt::format("not cold: {} bytes of {} were in memory when reading began", cached, made.bytes));
  judge_device(made, place, made.device_bytes_read, static_cast<double>(made.bytes), "read cold");
}

void judge_reading(trial_result& made, bool content_matches, const detail::os::file_system& place) {
  if (!content_matches) find_invalid(made, "what was read is not what was written");
  if (made.plan.what == io_class::cold) return judge_cold_reading(made, place);
  if (const std::uint64_t cached = made.bytes_cached.value_or(0); cached < made.bytes)
    find_invalid(made, fmt::format("not warm: only {} bytes of {} were in memory", cached, made.bytes));
}

}  // namespace

void judge_processors(trial_result& made) {
  if (made.heat_events != 0)
    find_invalid(made, fmt::format("processors were slowed down against heat {} times", made.heat_events));
  if (made.cooling_steps != 0)
    find_invalid(made, fmt::format("processors were slowed down by {} steps to cool the machine", made.cooling_steps));
  if (const double limit = quota_share * made.seconds_to_disk; made.quota_seconds > limit)
    find_invalid(made, fmt::format("a quota withheld {:.3f} s of CPU time, more than {:.3f} s ({:.0f} %)",
                                   made.quota_seconds, limit, 100 * quota_share));
  if (const double limit = std::max(stolen_least, stolen_share * made.seconds_to_disk); made.cpu_stolen > limit)
    find_invalid(made, fmt::format("the hypervisor gave {:.2f} s of CPU time to others, more than {:.2f} s",
                                   made.cpu_stolen, limit));
  if (made.suspended_seconds > suspended_seconds)
    find_invalid(made, fmt::format("the machine was suspended for {:.2f} s", made.suspended_seconds));
}

void judge_neighbours(trial_result& made, std::uint64_t written, const detail::os::file_system& place) {
  const auto own = static_cast<double>(written);
  const double beyond = made.device_bytes ? static_cast<double>(*made.device_bytes) - own : 0;
  const double limit = std::max(others_least, others_share * static_cast<double>(made.bytes));
  const double named = sum_of(made.written_by_others);
  if (named >= limit && beyond - journal_bytes(made) >= limit) {
    find_invalid(made, fmt::format("others wrote to {} meanwhile, more than {:.0f} bytes: {}", place.device_name, limit,
                                   names_of(made.written_by_others)));
  } else if (named >= limit && made.device_bytes && written != 0 &&
             ((may_compress(place) && beyond < 0) || beyond >= limit)) {
    find_unknown(made, fmt::format("others may have written to {} meanwhile: {}", place.device_name,
                                   names_of(made.written_by_others)));
  } else {
    made.written_by_others.clear();
    if (beyond > unnamed_limit(made, own, place))
      find_invalid(made, fmt::format("{} saw {:.0f} bytes more than were written here; by another process?",
                                     place.device_name, beyond));
  }
  if (!made.started_quiet) find_unknown(made, fmt::format("{} was still busy when it began", place.device_name));
}

void apply_gates(trial_result& made, bool content_matches, const detail::os::file_system& place,
                 const std::string& drop_failure) {
  const bool reading = reads(made.plan.what);
  made.validity = trial_validity::valid;
  made.reasons.clear();
  if (made.plan.method != "auto" && made.method != made.plan.method)
    find_invalid(made, fmt::format("{} by {}, not by {}", reading ? "read" : "written", made.method, made.plan.method));
  if (made.generator_ceiling && made.rate_to_close() * ceiling_distance > *made.generator_ceiling)
    find_invalid(made, fmt::format("too near to what the {} alone does here, {} MB/s",
                                   reading ? "checksum" : "generator", format_figure(*made.generator_ceiling)));
  if (!drop_failure.empty()) find_invalid(made, "the cache drop failed: " + drop_failure);
  reading ? judge_reading(made, content_matches, place) : judge_writing(made, content_matches, place);
  judge_processors(made);
  judge_neighbours(made, reading ? 0 : made.bytes, place);
}

trial_result without_files(trial_result made, std::string reason) {
  made.validity = trial_validity::unknown;
  made.reasons = {std::move(reason)};
  made.written_by_others.clear();
  return made;
}

}  // namespace freshet::tool

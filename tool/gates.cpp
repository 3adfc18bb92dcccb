#include "gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "size.hpp"

namespace freshet::tool {
namespace {

// Their devices see fewer bytes than were written, and rightly so.
bool may_compress(const os::file_system& place) {
  constexpr std::array<std::string_view, 4> types = {"btrfs", "zfs", "bcachefs", "f2fs"};
  return std::find(types.begin(), types.end(), place.type) != types.end();
}

void find_invalid(trial& made, std::string reason) {
  made.verdict = validity::invalid;
  made.reasons.push_back(std::move(reason));
}

void find_unknown(trial& made, std::string reason) {
  if (made.verdict == validity::valid) made.verdict = validity::unknown;
  made.reasons.push_back(std::move(reason));
}

// `seen` are the bytes that the device did see of `wanted`, `doing` what was claimed of them.
void judge_device(trial& made, const os::file_system& place, std::optional<std::uint64_t> seen, double wanted,
                  std::string_view doing) {
  if (!seen) return find_unknown(made, fmt::format("the device below {} cannot be seen", place.type));
  if (static_cast<double>(*seen) >= wanted) return;
  auto reason = fmt::format("the device saw {} bytes of {} {}", *seen, made.bytes, doing);
  if (may_compress(place))
    find_unknown(made, reason + fmt::format("; {} may compress", place.type));
  else
    find_invalid(made, std::move(reason));
}

void judge_writing(trial& made, bool content_matches, const os::file_system& place) {
  if (!content_matches) find_invalid(made, "the file does not hold what was written");
  judge_device(made, place, made.device_bytes, durable_share * static_cast<double>(made.bytes), "claimed durable");
}

void judge_cold_reading(trial& made, const os::file_system& place) {
  if (const std::uint64_t cached = made.bytes_cached.value_or(made.bytes); cached != 0)
    find_invalid(made, fmt::format("not cold: {} bytes of {} were in memory", cached, made.bytes));
  judge_device(made, place, made.device_bytes_read, static_cast<double>(made.bytes), "read cold");
}

void judge_reading(trial& made, bool content_matches, const os::file_system& place) {
  if (!content_matches) find_invalid(made, "what was read is not what was written");
  if (made.plan.what == trial_class::cold) return judge_cold_reading(made, place);
  if (const std::uint64_t cached = made.bytes_cached.value_or(0); cached < made.bytes)
    find_invalid(made, fmt::format("not warm: only {} bytes of {} were in memory", cached, made.bytes));
}

}  // namespace

void judge(trial& made, bool content_matches, const os::file_system& place) {
  const bool reading = reads(made.plan.what);
  made.verdict = validity::valid;
  made.reasons.clear();
  if (made.plan.method != "auto" && made.method != made.plan.method)
    find_invalid(made, fmt::format("{} by {}, not by {}", reading ? "read" : "written", made.method, made.plan.method));
  if (made.generator_ceiling && made.rate_to_close() * ceiling_distance > *made.generator_ceiling)
    find_invalid(made, fmt::format("too near to what the {} alone does here, {} MB/s",
                                   reading ? "checksum" : "generator", format_figure(*made.generator_ceiling)));
  reading ? judge_reading(made, content_matches, place) : judge_writing(made, content_matches, place);
}

trial without_files(trial made) {
  made.verdict = validity::unknown;
  made.reasons = {fmt::format("null {} no file", reads(made.plan.what) ? "reads" : "writes")};
  return made;
}

bool is_in_memory(const os::file_system& place) { return place.type == "tmpfs" || place.type == "ramfs"; }

std::string never_cold(const os::file_system& place) { return fmt::format("{} has its files in memory", place.type); }

}  // namespace freshet::tool

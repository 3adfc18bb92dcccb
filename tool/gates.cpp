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

void judge_device(trial& made, const os::file_system& place) {
  if (!made.device_bytes) return find_unknown(made, fmt::format("the device below {} cannot be seen", place.type));
  if (static_cast<double>(*made.device_bytes) >= durable_share * static_cast<double>(made.bytes)) return;
  auto reason = fmt::format("the device saw {} bytes of {} claimed durable", *made.device_bytes, made.bytes);
  if (may_compress(place))
    find_unknown(made, reason + fmt::format("; {} may compress", place.type));
  else
    find_invalid(made, std::move(reason));
}

}  // namespace

void judge(trial& made, bool content_matches, const os::file_system& place) {
  made.verdict = validity::valid;
  made.reasons.clear();
  if (!content_matches) find_invalid(made, "the file does not hold what was written");
  if (made.plan.method != "auto" && made.method != made.plan.method)
    find_invalid(made, fmt::format("written by {}, not by {}", made.method, made.plan.method));
  if (made.generator_ceiling && made.rate_to_close() * ceiling_distance > *made.generator_ceiling)
    find_invalid(made, fmt::format("too near to what the generator alone does here, {} MB/s",
                                   format_figure(*made.generator_ceiling)));
  judge_device(made, place);
}

}  // namespace freshet::tool

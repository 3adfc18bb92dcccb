#include "lab/filesystems/visit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/filesystems/mounting.hpp"
#include "lab/filesystems/real_device.hpp"
#include "lab/filesystems/volume.hpp"
#include "src/os/file.hpp"
#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/trial/file_runner.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr double longest_mkfs = 600;  // seconds

std::vector<std::string> mount_options_of(const volume& which) {
  std::vector<std::string> options = which.mounted_with;
  const std::string_view always = find_volume_kind(which.type)->default_mount_option;
  const auto is_about_discards = [](const std::string& option) { return option.starts_with("discard"); };
  if (!always.empty() && std::ranges::none_of(options, is_about_discards)) options.emplace_back(always);
  return options;
}

// Aging needs spare room: twice the largest trial.
std::uint64_t room_for(std::span<const trial_plan> plans) {
  std::uint64_t most = 0;
  for (const trial_plan& plan : plans) most = std::max(most, plan.size);
  return 2 * most;
}

}  // namespace

volume_runner::volume_runner(std::string device, fs::path mount_point, std::shared_ptr<memory_preparation> memory)
    : device_{std::move(device)},
      mount_point_{std::move(mount_point)},
      memory_{std::move(memory)},
      written_before_{read_written_bytes()} {}

std::uint64_t volume_runner::read_written_bytes() const {
  const auto counters = detail::os::read_device_counters(fs::canonical(device_).filename());
  return counters ? counters->written_bytes : 0;
}

std::uint64_t volume_runner::bytes_written() const { return read_written_bytes() - written_before_; }

// Returns the seconds that it took.
double volume_runner::make(const std::string& volume) const {
  require_unused(device_);
  const struct volume wanted = parse_volume(volume);
  const stopwatch watch;
  child mkfs{{.words = mkfs_words(wanted, device_),
              .environment = merge_environment({"LC_ALL=C"}),
              .time_limit = longest_mkfs},
             child::connection::listen};
  try {
    mkfs.wait_for_success();
  } catch (const child_failure& failure) {
    refuse(std::errc::not_supported, "make the volume", volume,
           fmt::format("{} {}: {}", find_volume_kind(wanted.type)->program(), failure.what(), mkfs.first_words()));
  }
  return watch.seconds();
}

visit volume_runner::run(const std::string& volume, std::span<const trial_plan> plans) {
  const struct volume wanted = parse_volume(volume);
  const std::vector<std::string> options = mount_options_of(wanted);
  visit result;
  result.times.mkfs = make(volume);
  if (is_aged(volume)) {
    mounted_volume fresh{device_, mount_point_, wanted.type, options};
    age(fresh.path(), ++aged_, room_for(plans));
    fresh.unmount();
  }
  const stopwatch mounting;
  mounted_volume mounted{device_, mount_point_, wanted.type, options};
  result.times.mount = mounting.seconds();
  for (trial_plan plan : plans) {
    plan.volume = volume;
    result.trials.push_back(plan.workload == workload_kind::files ? write_small_files(mounted.path(), plan, memory_)
                                                                  : file_runner{mounted.path(), memory_}.run(plan));
  }
  const stopwatch unmounting;
  mounted.unmount();
  result.times.umount = unmounting.seconds();
  return result;
}

}  // namespace freshet::tool

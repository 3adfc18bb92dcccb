#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

#include "src/os/mount_table.hpp"
#include "tool/base/place.hpp"
#include "tool/doctor/reading.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using detail::os::file_system;
using detail::os::mount_entry;

bool lies_below(const fs::path& path, const fs::path& mount_point) {
  return std::ranges::mismatch(mount_point, path).in1 == mount_point.end();
}

// As detail::os::file_system_of(), which knows this machine only.
std::string find_device(const mount_entry& mount, const fs::path& sys) {
  std::error_code unseen;
  const fs::path link = sys / "dev/block" / fmt::format("{}:{}", mount.major, mount.minor);
  if (const fs::path by_number = fs::read_symlink(link, unseen); !unseen) return by_number.filename();
  const std::string by_source = fs::path{mount.source}.filename();
  return !by_source.empty() && fs::exists(sys / "class/block" / by_source, unseen) ? by_source : "";
}

file_system find_place(const fs::path& path, const system_roots& roots) {
  file_system place = file_system_at(path);
  if (are_of_this_machine(roots)) return place;
  const mount_entry mount = find_mount_above(normalize_directory(path), roots.proc);
  place.type = mount.type;
  place.mount_point = mount.mount_point;
  place.mount_options = mount.options;
  place.device_name = find_device(mount, roots.sys);
  return place;
}

void append_stack(const std::string& name, const fs::path& sys, std::vector<block_device>& devices) {
  for (block_device& each : read_device_stack(name, sys))
    if (std::ranges::find(devices, each.name, &block_device::name) == devices.end()) devices.push_back(std::move(each));
}

// A loop device lies on the file system that has its file.
void append_devices_of_files(std::vector<block_device>& devices, const system_roots& roots, unseen_facts& unseen) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const fs::path file = devices[i].backing_file;
    if (file.empty()) continue;
    std::error_code failure;
    if (const bool there = fs::exists(file, failure); there && !failure)
      append_stack(find_place(file, roots).device_name, roots.sys, devices);
    else
      unseen.push_back({fmt::format("the device below {}", devices[i].name),
                        fmt::format("its file {} is not visible here", file.string())});
  }
}

// "upperdir=/var/lib/…/diff": an overlay's files are written there.
fs::path find_upper_directory(const file_system& place) {
  constexpr std::string_view label = "upperdir=";
  const std::size_t at = place.mount_options.find(label);
  if (place.type != "overlay" || at == std::string::npos) return {};
  const std::size_t from = at + label.size();
  return place.mount_options.substr(from, place.mount_options.find(',', from) - from);
}

std::string why_no_device(const file_system& place) {
  if (place.type == "overlay") return "an overlay does not show what lies below it from inside a container";
  if (place.type == "btrfs") return "its mount names no device that /sys knows";
  return fmt::format("{} names no device that /sys knows", place.type.empty() ? "its mount" : place.type);
}

}  // namespace

mount_entry find_mount_above(const fs::path& path, const fs::path& proc) {
  mount_entry best;
  for (mount_entry& each : list_mounts(proc))
    if (lies_below(path, each.mount_point) && each.mount_point.size() >= best.mount_point.size())
      best = std::move(each);
  return best;
}

bool are_of_this_machine(const system_roots& roots) { return roots.proc == "/proc" && roots.sys == "/sys"; }

std::string why_unreadable(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) return fmt::format("{} does not exist", file.string());
  if (std::ifstream{file}.peek() != std::ifstream::traits_type::eof()) return {};
  return fmt::format("{} cannot be read", file.string());
}

storage_facts read_storage(const fs::path& directory, const system_roots& roots, unseen_facts& unseen) {
  storage_facts facts{.directory = directory, .place = find_place(directory, roots), .devices = {}};
  if (!fs::is_directory(directory)) refuse(std::errc::not_a_directory, "look at", directory, {});
  append_stack(facts.place.device_name, roots.sys, facts.devices);
  if (const fs::path upper = find_upper_directory(facts.place); !upper.empty()) {
    std::error_code failure;
    if (fs::exists(upper, failure) && !failure)
      append_stack(find_place(upper, roots).device_name, roots.sys, facts.devices);
  }
  append_devices_of_files(facts.devices, roots, unseen);
  if (facts.devices.empty() && !is_in_memory(facts.place))
    unseen.push_back({fmt::format("the device of {}", directory.string()), why_no_device(facts.place)});
  return facts;
}

machine_facts read_machine_facts(const fs::path& directory, const system_roots& roots) {
  machine_facts facts;
  facts.roots = roots;
  facts.storage = read_storage(directory, roots, facts.unseen);
  facts.processors = read_processors(roots, facts.unseen);
  facts.memory = read_memory(roots, facts.unseen);
  facts.interfaces = read_interfaces(roots);
  facts.watchers = read_watchers(directory, roots, facts.unseen);
  return facts;
}

}  // namespace freshet::tool

#include "lab/filesystems/real_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include <freshet/error.hpp>

#include "lab/filesystems/volume.hpp"
#include "src/os/file.hpp"
#include "tool/base/child.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/block_device.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using detail::os::file;

constexpr std::string_view overwriting = "overwrite";

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The device, those below it, and those below the file of a loop device. Partitions stay partitions: their neighbours
// do not lie below.
void append_devices(const std::string& name, const fs::path& sys, std::vector<std::string>& names) {
  if (name.empty() || has(names, name)) return;
  names.push_back(name);
  const fs::path at = sys / "class/block" / name;
  std::error_code unseen;
  for (const fs::path& each : list_entries(at / "slaves")) append_devices(each.filename(), sys, names);
  const std::string file = read_first_line(at / "loop/backing_file");
  if (!file.empty() && fs::exists(file, unseen)) append_devices(file_system_at(file).device_name, sys, names);
}

void add_swap(const fs::path& proc, const fs::path& sys, std::vector<precious_place>& places) {
  for (const auto& [name, used] : list_swaps(proc)) {
    std::error_code unseen;
    precious_place place{.what = fmt::format("swap ({})", name), .devices = {}};
    if (fs::is_block_file(name, unseen))
      append_devices(fs::canonical(name, unseen).filename(), sys, place.devices);
    else if (fs::exists(name, unseen))
      append_devices(file_system_at(name).device_name, sys, place.devices);
    places.push_back(std::move(place));
  }
}

[[noreturn]] void refuse_device(std::errc code, const std::string& device, const std::string& reason) {
  refuse(code, overwriting, device, reason);
}

std::string name_of_device(const std::string& device) {
  std::error_code failure;
  const fs::path real = fs::canonical(device, failure);
  if (failure) throw error{failure, overwriting, device};
  struct stat status = {};
  if (::stat(real.c_str(), &status) != 0) throw error{{errno, std::system_category()}, overwriting, device};
  if (!S_ISBLK(status.st_mode)) refuse_device(std::errc::no_such_device, device, "it is no block device");
  // By its number: a node may have any name.
  const fs::path by_number =
      fs::read_symlink(fmt::format("/sys/dev/block/{}:{}", major(status.st_rdev), minor(status.st_rdev)), failure);
  return failure ? real.filename().string() : by_number.filename().string();
}

// Where it or a part of it is mounted; empty: nowhere that this process sees.
std::string find_mount_point(const std::vector<std::string>& names) {
  for (const detail::os::mount_entry& each : list_mounts()) {
    std::error_code unseen;
    const fs::path link = fmt::format("/sys/dev/block/{}:{}", each.major, each.minor);
    const fs::path by_number = fs::read_symlink(link, unseen);
    const std::string by_source = fs::canonical(each.source, unseen).filename();
    if (has(names, by_number.filename()) || (each.source.starts_with("/dev/") && has(names, by_source)))
      return each.mount_point;
  }
  return {};
}

file open_device(const std::string& device, int flags) {
  const int descriptor = ::open(device.c_str(), flags | O_CLOEXEC);
  if (descriptor >= 0) return file::wrap(descriptor, true);
  if (errno == EBUSY) {
    refuse_device(std::errc::device_or_resource_busy, device,
                  "it is in use: mounted elsewhere, part of a RAID or of LVM, swap, or open exclusively");
  }
  throw error{{errno, std::system_category()}, overwriting, device};
}

}  // namespace

std::vector<precious_place> find_precious_places(const fs::path& directory, const fs::path& proc, const fs::path& sys) {
  std::vector<precious_place> places{{"the root file system", {}}};
  append_devices(file_system_at("/").device_name, sys, places.back().devices);
  add_swap(proc, sys, places);
  places.push_back({fmt::format("the directory {}", directory.string()), {}});
  append_devices(file_system_at(directory).device_name, sys, places.back().devices);
  return places;
}

std::vector<std::string> list_overlapping(const std::string& name, const fs::path& sys) {
  std::vector<std::string> names{name};
  const fs::path disk = find_disk(name, sys);
  if (!has(names, disk.filename())) {
    names.push_back(disk.filename());
    return names;  // it is a partition; its neighbours do not overlap it
  }
  std::error_code unseen;
  for (const fs::path& each : list_entries(sys / "class/block" / name))
    if (fs::exists(each / "partition", unseen)) names.push_back(each.filename());
  return names;
}

std::string find_signature(const std::string& device) {
  constexpr int nothing_found = 2;
  const std::string blkid = find_program("blkid");
  child probe{{.words = {blkid.empty() ? "blkid" : blkid, "-p", "-s", "TYPE", "-s", "PTTYPE", "-o", "export", device},
               .environment = merge_environment({"LC_ALL=C"})},
              child::connection::listen};
  try {
    probe.wait_for_success();
  } catch (const child_failure&) {
    if (probe.exit_code() != nothing_found) throw;
    return {};
  }
  std::string found;
  std::istringstream lines{probe.last_words()};
  for (std::string line; std::getline(lines, line);) {
    std::string value = line.substr(line.find('=') + 1);
    if (line.starts_with("TYPE=")) return value;
    if (line.starts_with("PTTYPE=")) found = fmt::format("a {} partition table", value);
  }
  return found;
}

void require_expendable(const std::string& device, bool destroy, const std::vector<precious_place>& precious) {
  const std::string name = name_of_device(device);
  const std::vector<std::string> overlapping = list_overlapping(name);
  for (const precious_place& place : precious)
    for (const std::string& each : overlapping)
      if (has(place.devices, each))
        refuse_device(std::errc::device_or_resource_busy, device, fmt::format("{} lies on it", place.what));
  if (const std::string mounted_at = find_mount_point(overlapping); !mounted_at.empty())
    refuse_device(std::errc::device_or_resource_busy, device, fmt::format("it is mounted at {}", mounted_at));
  require_unused(device);
  if (destroy) return;
  const std::string signature = find_signature(device);
  refuse_device(std::errc::operation_not_permitted, device,
                signature.empty() ? "all that is on it would be lost; --destroy allows that"
                                  : fmt::format("it holds {}, which would be lost; --destroy allows that", signature));
}

void require_unused(const std::string& device) { static_cast<void>(open_device(device, O_RDWR | O_EXCL)); }

std::uint64_t size_of_device(const std::string& device) {
  const file opened = open_device(device, O_RDONLY);
  std::uint64_t bytes = 0;
  if (::ioctl(opened.descriptor(), BLKGETSIZE64, &bytes) != 0)
    throw error{{errno, std::system_category()}, "find the size of", device};
  return bytes;
}

}  // namespace freshet::tool

// The seam on Linux: file systems and the devices below them.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <fstream>

#include "src/os/file.hpp"
#include "src/os/linux/statx.hpp"
#include "src/os/mount_table.hpp"
#include "src/os/unix/open_near.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

std::optional<mount_entry> mount_of(const file& inside, std::uint64_t device) {
  const statx_answer answer = ask_statx(inside.descriptor(), statx_mount_id);
  if ((answer.mask & statx_mount_id) != 0) {
    if (auto entry = find_mount(answer.mount_id)) return entry;
  }
  return find_mount_of_device(major(device), minor(device));
}

bool is_block_device(const std::string& name) {
  std::error_code ignored;
  return !name.empty() && std::filesystem::exists("/sys/class/block/" + name + "/stat", ignored);
}

std::string device_name_of(std::uint64_t device, const std::string& source) {
  const std::string numbers = std::to_string(major(device)) + ':' + std::to_string(minor(device));
  std::error_code error;
  const auto by_number = std::filesystem::read_symlink("/sys/dev/block/" + numbers, error);
  if (!error && is_block_device(by_number.filename())) return by_number.filename();
  // btrfs gives each subvolume its own number, which no device has; the mount still names the first device.
  const auto by_source = std::filesystem::canonical(source, error);
  const bool is_device = !error && std::filesystem::is_block_file(by_source, error);
  return is_device && is_block_device(by_source.filename()) ? by_source.filename().string() : std::string{};
}

}  // namespace

file_system file_system_of(const std::filesystem::path& path, std::error_code& error) {
  const file directory = open_near(path.empty() ? std::filesystem::path{"."} : path, error);
  if (error) return {};
  file_system result;
  result.device = directory.status(error).device;
  if (error) return {};
  struct statvfs space {};
  make_call({call::status, directory.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fstatvfs(directory.descriptor(), &space); });
  if (error) return {};
  result.available = std::uint64_t{space.f_bavail} * space.f_frsize;
  result.total = std::uint64_t{space.f_blocks} * space.f_frsize;
  result.key = file_system_key(directory);
  const mount_entry mount = mount_of(directory, result.device).value_or(mount_entry{});
  // In a changed root (chroot), the mount of that root may be invisible.
  result.type = mount.type.empty() ? file_system_type(directory) : mount.type;
  result.mount_point = mount.mount_point;
  result.mount_options = mount.options;
  result.device_name = device_name_of(result.device, mount.source);
  return result;
}

// See Documentation/block/stat.rst. A sector is 512 bytes there, whatever the device's sector size is.
std::optional<device_counters> read_device_counters(const std::string& device_name) {
  if (device_name.empty()) return std::nullopt;
  std::ifstream numbers{"/sys/class/block/" + device_name + "/stat"};
  constexpr std::uint64_t sector = 512;
  device_counters counters;
  std::uint64_t read_merges{}, read_sectors{}, read_ms{}, write_sectors{}, write_ms{}, busy_ms{};
  numbers >> counters.reads >> read_merges >> read_sectors >> read_ms >> counters.writes >> counters.write_merges >>
      write_sectors >> write_ms >> counters.in_flight >> busy_ms;
  if (!numbers) return std::nullopt;
  counters.read_bytes = read_sectors * sector;
  counters.written_bytes = write_sectors * sector;
  counters.busy = std::chrono::milliseconds{busy_ms};
  return counters;
}

}  // namespace freshet::detail::os

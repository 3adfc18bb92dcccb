#include "tool/measure/block_device.hpp"

#include <algorithm>
#include <system_error>

#include "tool/base/place.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_devices = 64;  // no stack is deeper, unless sysfs describes a circle

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return text.starts_with(each); });
}

// By the driver's names for disks (virtio_blk, xen-blkfront), or by the vendor that a SCSI or NVMe disk names.
bool is_hypervisors(const block_device& disk) {
  if (begins_with_any(disk.name, {"vd", "xvd"})) return true;
  const std::string vendor = read_first_line(disk.at / "device/vendor");
  return begins_with_any(vendor, {"QEMU", "VMware", "Msft", "Google", "VBOX", "Xen"}) ||
         begins_with_any(disk.model,
                         {"QEMU", "VMware", "VBOX", "Virtual", "Amazon Elastic", "nvme_card", "PersistentDisk"});
}

}  // namespace

fs::path find_disk(const std::string& name, const fs::path& sys) {
  fs::path device = sys / "class/block" / name;
  std::error_code error;
  if (!fs::exists(device / "partition", error)) return device;
  const fs::path real = fs::canonical(device, error);
  return error ? device : real.parent_path();
}

std::string find_chosen(const std::string& list) {
  const auto from = list.find('[');
  const auto to = list.find(']');
  return from == std::string::npos || to == std::string::npos ? list : list.substr(from + 1, to - from - 1);
}

block_device read_block_device(const std::string& name, const fs::path& sys) {
  block_device disk;
  std::error_code unseen;
  const fs::path at = find_disk(name, sys);
  if (name.empty() || !fs::exists(at, unseen)) return disk;
  disk.name = at.filename();
  disk.at = at;
  disk.model = read_first_line(at / "device/model");
  disk.scheduler = find_chosen(read_first_line(at / "queue/scheduler"));
  disk.write_cache = read_first_line(at / "queue/write_cache");
  disk.fua = read_first_line(at / "queue/fua");
  disk.backing_file = read_first_line(at / "loop/backing_file");
  disk.mapping = read_first_line(at / "dm/uuid");
  disk.array_work = read_first_line(at / "md/sync_action");
  disk.rotational = read_number(at / "queue/rotational").value_or(0) != 0;
  disk.is_virtual = is_hypervisors(disk);
  disk.is_memory = begins_with_any(disk.name, {"zram", "ram"});
  for (const fs::path& each : list_entries(at / "slaves")) disk.below.push_back(each.filename());
  std::ranges::sort(disk.below);
  return disk;
}

std::vector<block_device> read_device_stack(const std::string& name, const fs::path& sys) {
  std::vector<block_device> stack;
  std::vector<std::string> names{name};
  for (std::size_t i = 0; i < names.size() && stack.size() < most_devices; ++i) {
    block_device device = read_block_device(names[i], sys);
    if (device.name.empty() || std::ranges::find(stack, device.name, &block_device::name) != stack.end()) continue;
    names.insert(names.end(), device.below.begin(), device.below.end());
    stack.push_back(std::move(device));
  }
  return stack;
}

}  // namespace freshet::tool

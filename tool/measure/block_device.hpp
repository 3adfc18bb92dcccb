// Block devices as sysfs describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// The directory of the disk that the device `name` is, or is a partition of: a partition has no queue and no model of
/// its own. `sys` is where sysfs is mounted.
[[nodiscard]] std::filesystem::path find_disk(const std::string& name, const std::filesystem::path& sys = "/sys");

/// The active one of a list such as "none [mq-deadline] kyber"; the whole list if none is in brackets.
[[nodiscard]] std::string find_chosen(const std::string& list);

/// A disk or a virtual device over others. Texts are empty where sysfs has no such file.
struct block_device {
  std::string name;          ///< of the whole disk
  std::filesystem::path at;  ///< its directory in sysfs
  std::string model;
  std::string scheduler;
  std::string write_cache;   ///< "write back" (volatile: the kernel sends flushes) or "write through" (it sends none)
  std::string fua;           ///< "1": a write can bypass that cache
  std::string backing_file;  ///< of a loop device
  std::string mapping;       ///< of device-mapper: its UUID, which begins with the kind ("CRYPT-", "LVM-")
  std::string array_work;    ///< of a RAID: "idle", "resync", "check", …
  bool rotational = false;   ///< what the device says; virtual disks often say so without being it
  bool is_virtual = false;   ///< a hypervisor's disk (virtio, Xen, Hyper-V, VMware, QEMU)
  bool is_memory = false;    ///< zram, brd
  std::vector<std::string> below;  ///< names of the devices that it uses
};

/// Empty `at` if there is no such device.
[[nodiscard]] block_device read_block_device(const std::string& name, const std::filesystem::path& sys = "/sys");

/// The device `name` and those below it, each once, from the top; at most 64.
[[nodiscard]] std::vector<block_device> read_device_stack(const std::string& name,
                                                          const std::filesystem::path& sys = "/sys");

}  // namespace freshet::tool

// The seam on Linux: a name of a file system that is the same after a boot.
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>

#include "src/os/file.hpp"
#include "src/os/linux/ioctl.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

using uuid = std::array<std::uint8_t, 16>;

// FS_IOC_GETFSUUID, Linux 6.9: younger than the headers of Debian 12.
struct uuid_answer {
  std::uint8_t length;
  uuid value;
};
constexpr unsigned long get_uuid = _IOR(0x15, 0, uuid_answer);

// XFS_IOC_FSGEOMETRY_V1, whose header is not one of the kernel's.
struct xfs_geometry {
  std::uint8_t unread_start[64];
  uuid value;
  std::uint8_t unread_end[32];
};
constexpr unsigned long get_xfs_geometry = _IOR('X', 100, xfs_geometry);

constexpr auto xfs_magic = 0x58465342;

struct named_type {
  long magic;
  const char* name;
  bool is_local;
};
constexpr named_type types[] = {
    {EXT4_SUPER_MAGIC, "ext4", true}, {xfs_magic, "xfs", true},         {BTRFS_SUPER_MAGIC, "btrfs", true},
    {TMPFS_MAGIC, "tmpfs", true},     {RAMFS_MAGIC, "ramfs", true},     {OVERLAYFS_SUPER_MAGIC, "overlay", true},
    {NFS_SUPER_MAGIC, "nfs", false},  {F2FS_SUPER_MAGIC, "f2fs", true}, {MSDOS_SUPER_MAGIC, "vfat", true},
    {0x2011BAB0, "exfat", true},      {0x2FC12FC1, "zfs", true},        {0x65735546, "fuse", false},
    {0x01021997, "9p", false},        {0xFF534D42, "cifs", false}};

const named_type* find_type(const struct statfs& file_system) noexcept {
  const auto* known = std::ranges::find(types, static_cast<long>(file_system.f_type), &named_type::magic);
  return known != std::end(types) ? known : nullptr;
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
    number /= 16;
  } while (number != 0);
  return digits;
}

std::string type_name(const struct statfs& file_system) {
  const named_type* const known = find_type(file_system);
  return known != nullptr ? known->name : "0x" + hexadecimal(static_cast<std::uint64_t>(file_system.f_type));
}

std::string to_text(const uuid& value) {
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[value[i] / 16];
    text += "0123456789abcdef"[value[i] % 16];
  }
  return text;
}

template <class Answer>
bool ask(int descriptor, unsigned long request, Answer& answer) noexcept {
  std::error_code error;
  make_call({call::status, descriptor, 0, 0}, error,
            [&](std::size_t) { return ask_ioctl(descriptor, request, &answer); });
  return !error;
}

std::optional<uuid> uuid_from_kernel(int descriptor) noexcept {
  uuid_answer answer{};
  if (!ask(descriptor, get_uuid, answer) || answer.length != answer.value.size()) return std::nullopt;
  return answer.value;
}

// For kernels before 6.9.
std::optional<uuid> uuid_from_file_system(int descriptor, long magic) noexcept {
  if (magic == BTRFS_SUPER_MAGIC) {
    btrfs_ioctl_fs_info_args info{};
    uuid value;
    if (!ask(descriptor, BTRFS_IOC_FS_INFO, info)) return std::nullopt;
    std::copy_n(info.fsid, value.size(), value.begin());
    return value;
  }
  if (magic == xfs_magic) {
    xfs_geometry geometry{};
    if (ask(descriptor, get_xfs_geometry, geometry)) return geometry.value;
  }
  return std::nullopt;
}

// From udev's names of devices, for file systems that neither the kernel nor the file system identifies.
std::string uuid_from_device_names(std::uint64_t device) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{"/dev/disk/by-uuid", error}) {
    struct stat entry_status {};
    if (::stat(entry.path().c_str(), &entry_status) == 0 && entry_status.st_rdev == device)
      return entry.path().filename();
  }
  return {};
}

std::string key_from_id(const struct statfs& file_system) {
  std::array<std::uint32_t, 2> id{};
  static_assert(sizeof file_system.f_fsid == sizeof id);
  std::memcpy(id.data(), &file_system.f_fsid, sizeof id);
  return type_name(file_system) + ':' + hexadecimal(std::uint64_t{id[1]} << 32 | id[0]);
}

bool is_in_memory(const struct statfs& file_system) noexcept {
  return file_system.f_type == TMPFS_MAGIC || file_system.f_type == RAMFS_MAGIC;
}

}  // namespace

std::string file_system_type(const file& inside) {
  struct statfs file_system {};
  return ::fstatfs(inside.descriptor(), &file_system) < 0 ? "" : type_name(file_system);
}

bool is_in_memory(const file& inside) noexcept {
  struct statfs file_system {};
  return ::fstatfs(inside.descriptor(), &file_system) == 0 && is_in_memory(file_system);
}

// File systems without a block device of their own have numbers without a driver.
bool names_file_system(std::uint64_t device) noexcept { return major(static_cast<dev_t>(device)) != 0; }

bool is_local(const file& inside) noexcept {
  struct statfs file_system {};
  if (::fstatfs(inside.descriptor(), &file_system) < 0) return false;
  const named_type* const known = find_type(file_system);
  return known != nullptr && known->is_local;
}

bool is_overlay(const file& inside) noexcept {
  struct statfs file_system {};
  return ::fstatfs(inside.descriptor(), &file_system) == 0 && file_system.f_type == OVERLAYFS_SUPER_MAGIC;
}

std::string file_system_key(const file& inside) {
  struct statfs file_system {};
  if (::fstatfs(inside.descriptor(), &file_system) < 0) return {};
  // A file system in memory gets a random identity at every mount; all of them are equally fast.
  if (is_in_memory(file_system)) return type_name(file_system) + ":memory";

  auto value = uuid_from_kernel(inside.descriptor());
  if (!value) value = uuid_from_file_system(inside.descriptor(), static_cast<long>(file_system.f_type));
  // Images that were made without an identity have zeros here.
  if (value && *value != uuid{}) return "uuid:" + to_text(*value);

  std::error_code error;
  const std::uint64_t device = inside.status(error).device;
  const std::string name = error ? std::string{} : uuid_from_device_names(device);
  return name.empty() ? key_from_id(file_system) : "uuid:" + name;
}

}  // namespace freshet::detail::os

#include "lab/filesystems/mounting.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

constexpr double longest_unmount = 20;  // seconds
constexpr double between_attempts = 0.002;

struct named_flag {
  std::string_view option;
  unsigned long flag;
};

constexpr std::array mount_flags{
    named_flag{"noatime", MS_NOATIME},   named_flag{"nodiratime", MS_NODIRATIME},
    named_flag{"relatime", MS_RELATIME}, named_flag{"strictatime", MS_STRICTATIME},
    named_flag{"lazytime", MS_LAZYTIME}, named_flag{"sync", MS_SYNCHRONOUS},
    named_flag{"dirsync", MS_DIRSYNC},   named_flag{"nodev", MS_NODEV},
    named_flag{"nosuid", MS_NOSUID},     named_flag{"noexec", MS_NOEXEC},
};

std::error_code last_error() { return {errno, std::system_category()}; }

}  // namespace

void keep_mounts_private() {
  if (::unshare(CLONE_NEWNS) != 0)
    throw error{last_error(), "make a mount namespace for", "freshet", error::no_offset,
                "it takes CAP_SYS_ADMIN, which root lacks in most containers"};
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    throw error{last_error(), "keep mounts private below", "/"};
}

mount_request make_mount_request(const std::vector<std::string>& options) {
  mount_request request;
  for (const std::string& option : options) {
    const auto known = std::ranges::find(mount_flags, option, &named_flag::option);
    if (known != mount_flags.end())
      request.flags |= known->flag;
    else
      request.data += (request.data.empty() ? "" : ",") + option;
  }
  return request;
}

mounted_volume::mounted_volume(const std::string& device, const std::filesystem::path& mount_point,
                               const std::string& type, const std::vector<std::string>& options)
    : mount_point_{mount_point} {
  const mount_request request = make_mount_request(options);
  if (::mount(device.c_str(), mount_point.c_str(), type.c_str(), request.flags, request.data.c_str()) == 0) return;
  const std::error_code failure = last_error();
  // The reason is in the kernel's log only.
  throw error{failure == std::errc::no_such_device ? std::make_error_code(std::errc::not_supported) : failure,
              fmt::format("mount {} on", type), device, error::no_offset,
              failure == std::errc::no_such_device ? fmt::format("this kernel has no {}", type)
              : request.data.empty()               ? ""
                                     : fmt::format("with the options {}; dmesg may say why", request.data)};
}

mounted_volume::~mounted_volume() {
  if (is_mounted_) ::umount2(mount_point_.c_str(), MNT_DETACH);
}

void mounted_volume::unmount() {
  for (const stopwatch waited; ::umount2(mount_point_.c_str(), 0) != 0;) {
    if (errno != EBUSY || waited.seconds() > longest_unmount) throw error{last_error(), "unmount", mount_point_};
    sleep_interruptibly(between_attempts);
  }
  is_mounted_ = false;
}

}  // namespace freshet::tool

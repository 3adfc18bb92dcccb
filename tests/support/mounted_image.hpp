// Mounts a file system for one test, in an image file or in memory.
#pragma once

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "src/os/linux/ioctl.hpp"

namespace freshet::test {

/// A loop device over an image file. It detaches itself when it is no longer open or mounted, so that nothing remains
/// even if the process is killed.
class loop_device {
 public:
  explicit loop_device(const std::filesystem::path& image) {
    const int image_file = ::open(image.c_str(), O_RDWR | O_CLOEXEC);
    const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    loop_config wanted{};
    wanted.fd = static_cast<std::uint32_t>(image_file);
    wanted.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    // Another process may take the free device first.
    for (int tries = 0; tries < 20 && control >= 0 && image_file >= 0 && descriptor_ < 0; ++tries) {
      const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
      path_ = "/dev/loop" + std::to_string(number);
      descriptor_ = number < 0 ? -1 : ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
      if (descriptor_ >= 0 && ::ioctl(descriptor_, LOOP_CONFIGURE, &wanted) != 0) {
        why_not_ = std::generic_category().message(errno);
        ::close(std::exchange(descriptor_, -1));
      }
    }
    if (control >= 0) ::close(control);
    if (image_file >= 0) ::close(image_file);
  }
  loop_device(const loop_device&) = delete;
  loop_device& operator=(const loop_device&) = delete;
  ~loop_device() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  int descriptor_ = -1;
  std::string path_;
  std::string why_not_ = "there is no loop device";
};

/// Makes a file system of `type` below `directory` and mounts it; the destructor unmounts it. An "overlay" has its
/// upper layer on ext4.
class mounted_image {
 public:
  mounted_image(const std::filesystem::path& directory, const std::string& type, std::uint64_t size)
      : mount_point_{directory / "mounted"}, image_{directory / "image"}, type_{type} {
    std::filesystem::create_directory(mount_point_);
    if (::geteuid() != 0) {
      why_not_ = "mounting takes root";
    } else if (type == "overlay") {
      upper_ = std::make_unique<mounted_image>(below(directory, "layers"), "ext4", size);
      why_not_ = upper_->why_not();
      if (why_not_.empty()) mount_overlay(upper_->path());
    } else if (type == "tmpfs" || type == "ramfs") {
      mount("none", type, "size=" + std::to_string(size));
    } else {
      if (make(image_, type, size)) mount_image();
    }
  }
  mounted_image(const mounted_image&) = delete;
  mounted_image& operator=(const mounted_image&) = delete;
  ~mounted_image() {
    if (why_not_.empty()) ::umount2(mount_point_.c_str(), MNT_DETACH);
  }

  /// Explains why it is not mounted; empty if it is.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const std::filesystem::path& path() const { return mount_point_; }
  [[nodiscard]] bool make_read_only() const {
    return ::mount(nullptr, mount_point_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  /// Stops the file system as if the power had been cut: what is not on its device is lost. Returns false where it
  /// cannot be done.
  [[nodiscard]] bool cut_power() {
    constexpr auto shut_down = _IOR('X', 125, std::uint32_t);  // of ext4 and XFS; no header has it for both
    std::uint32_t without_flush = 2;
    const int root = ::open(mount_point_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_down = root >= 0 && detail::os::ask_ioctl(root, shut_down, &without_flush) == 0;
    if (root >= 0) ::close(root);
    return is_down;
  }
  /// Mounts it again after cut_power(). Precondition: no file of it is open.
  [[nodiscard]] bool mount_again() {
    // The kernel closes the files of a killed process's io_uring some time after its end.
    for (int tries = 0; ::umount2(mount_point_.c_str(), 0) != 0; ++tries) {
      if (errno != EBUSY || tries == 1000) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    mount_image();
    return why_not_.empty();
  }

 private:
  static std::filesystem::path below(const std::filesystem::path& directory, std::string_view name) {
    std::filesystem::create_directory(directory / name);
    return directory / name;
  }
  void mount_overlay(const std::filesystem::path& layers) {
    const std::string lower = below(layers, "lower"), upper = below(layers, "upper"), work = below(layers, "work");
    mount("overlay", "overlay", "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
  }
  void mount_image() {
    const loop_device device{image_};
    if (device.is_open())
      mount(device.path(), type_, "");
    else
      why_not_ = device.why_not();
  }
  bool make(const std::filesystem::path& image, const std::string& type, std::uint64_t size) {
    const int file = ::open(image.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool sized = file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) == 0;
    if (file >= 0) ::close(file);
    const std::string quiet = type == "ext4" ? " -q -F " : type == "btrfs" ? " -q -f " : " -q ";
    const bool formatted =
        sized && std::system(("mkfs." + type + quiet + image.string() + " > /dev/null 2>&1").c_str()) == 0;
    if (!formatted) why_not_ = "mkfs." + type + " is missing or fails";
    return formatted;
  }
  void mount(const std::string& from, const std::string& type, const std::string& options) {
    if (::mount(from.c_str(), mount_point_.c_str(), type.c_str(), 0, options.c_str()) != 0)
      why_not_ = "mount: " + std::generic_category().message(errno);
  }

  std::unique_ptr<mounted_image> upper_;  // of an overlay
  std::filesystem::path mount_point_;
  std::filesystem::path image_;
  std::string type_;
  std::string why_not_;
};

}  // namespace freshet::test

#include "lab/filesystems/loop_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <fstream>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/workload/blocks.hpp"
#include "tool/workload/workload.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using detail::os::file;

constexpr int most_attempts = 100;  // other processes may take a free device first
constexpr std::uint32_t sector = 4096;

std::error_code last_fault() { return {errno, std::system_category()}; }

file open_raw(const fs::path& path, int flags, std::string_view operation) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) throw error{last_fault(), operation, path};
  return file::wrap(descriptor, true);
}

// On btrfs, each write to the file would go elsewhere. Other file systems know no such flag.
void keep_in_place(const fs::path& path) {
  const file image = open_raw(path, O_RDWR | O_CREAT | O_EXCL, "create");
  int flags = 0;
  if (::ioctl(image.descriptor(), FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  static_cast<void>(::ioctl(image.descriptor(), FS_IOC_SETFLAGS, &flags));
}

// All of the file is written, so that no trial makes the file system below find space for it.
void write_image(const fs::path& path, std::uint64_t bytes) {
  keep_in_place(path);
  writer out{path,
             {.method = "direct", .reserve = bytes, .durability = durability::at_close, .mode = open_mode::overwrite}};
  const block_data data{1};
  write_blocks(out, data, bytes, std::size_t{4} << 20);
  out.close();
}

// A discard would punch holes into the file.
void refuse_discards(const std::string& device) {
  std::ofstream{"/sys/block/" + fs::path{device}.filename().string() + "/queue/discard_max_bytes"} << 0;
}

// The kernel falls back to the page cache where the file's file system refuses direct I/O.
bool has_direct_io(const file& device) {
  loop_info64 info{};
  return ::ioctl(device.descriptor(), LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
}

}  // namespace

loop_file::loop_file(const fs::path& path, std::uint64_t bytes) {
  write_image(path, bytes);
  attach(path);
  if (!has_direct_io(open_))
    refuse(std::errc::operation_not_supported, "make a loop device with direct I/O over", path,
           "its file system refuses direct I/O, and without it memory would be measured twice");
  refuse_discards(device_);
}

void loop_file::attach(const fs::path& path) {
  const file image = open_raw(path, O_RDWR, "open");
  const file control = open_raw("/dev/loop-control", O_RDWR, "open");
  loop_config wanted{};
  wanted.fd = static_cast<std::uint32_t>(image.descriptor());
  wanted.block_size = sector;  // as direct I/O may need below
  wanted.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    throw_if_interrupted();
    const int number = ::ioctl(control.descriptor(), LOOP_CTL_GET_FREE);
    if (number < 0) throw error{last_fault(), "get a free loop device from", "/dev/loop-control"};
    device_ = fmt::format("/dev/loop{}", number);
    open_ = open_raw(device_, O_RDWR, "open");
    if (::ioctl(open_.descriptor(), LOOP_CONFIGURE, &wanted) == 0) return;
    if (errno != EBUSY) break;
  }
  throw error{last_fault(), "attach a loop device to", path};
}

}  // namespace freshet::tool

#include "lab/filesystems/device_traits.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/block_device.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mkfs_block = 4096;  // of ext4, whose options count in blocks

template <typename Number>
Number read_attribute(const fs::path& path) {
  Number value = 0;
  std::ifstream{path} >> value;
  return value;
}

// Of the disks of an array, those that have data in each stripe; 0 where data is not spread.
unsigned count_data_disks(const fs::path& md) {
  std::string level;
  std::ifstream{md / "level"} >> level;
  const auto all = read_attribute<unsigned>(md / "raid_disks");
  if (level == "raid0") return all;
  if (level == "raid4" || level == "raid5") return all > 1 ? all - 1 : 0;
  if (level == "raid6") return all > 2 ? all - 2 : 0;
  if (level != "raid10") return 0;
  const unsigned copies = read_attribute<unsigned>(md / "layout") & 0xFF;  // near ones: md(4)
  return copies == 0 ? 0 : all / copies;
}

}  // namespace

raid_geometry parse_raid(std::string_view text) {
  constexpr unsigned most_disks = 1024;
  const std::size_t sign = text.find('x');
  raid_geometry raid;
  const std::string_view disks = sign == std::string_view::npos ? "" : text.substr(sign + 1);
  const auto [end, failure] = std::from_chars(disks.data(), disks.data() + disks.size(), raid.disks);
  if (failure != std::errc{} || end != disks.data() + disks.size() || raid.disks == 0 || raid.disks > most_disks)
    reject(text, "a RAID", "expected its chunk and its disks with data, such as 64Kx4");
  raid.chunk = parse_size(text.substr(0, sign));
  if (raid.chunk == 0 || raid.chunk % mkfs_block != 0) reject(text, "a RAID", "expected a chunk of whole 4 KiB");
  return raid;
}

std::optional<raid_geometry> find_raid(const std::string& name, const fs::path& sys) {
  for (const block_device& each : read_device_stack(name, sys)) {
    const fs::path md = each.at / "md";
    const raid_geometry raid{.chunk = read_attribute<std::uint64_t>(md / "chunk_size"), .disks = count_data_disks(md)};
    if (raid.chunk != 0 && raid.disks != 0) return raid;
  }
  return {};
}

std::string stripe_option(std::string_view type, const raid_geometry& raid) {
  if (type == "xfs") return fmt::format("-d su={},sw={}", raid.chunk, raid.disks);
  if (type != "ext4" && type != "ext3" && type != "ext2") return {};
  const std::uint64_t stride = raid.chunk / mkfs_block;
  return fmt::format("-E stride={},stripe_width={}", stride, stride * raid.disks);
}

double measure_flush(const std::string& device) {
  constexpr int times = 20;
  constexpr off_t place = 1 << 20;
  const detail::os::file raw =
      detail::os::file::wrap(::open(device.c_str(), O_WRONLY | O_DIRECT | O_EXCL | O_CLOEXEC), true);
  const auto fail = [&](std::string_view operation) {
    throw error{{errno, std::system_category()}, operation, device};
  };
  if (!raw.is_open()) fail("open");
  const auto release = [](std::byte* memory) { detail::os::free_pages(memory, mkfs_block); };
  const std::unique_ptr<std::byte, decltype(release)> block{detail::os::allocate_pages(mkfs_block), release};
  if (!block) throw std::bad_alloc{};
  std::vector<double> milliseconds;
  for (int time = 0; time < times; ++time) {
    throw_if_interrupted();
    const stopwatch watch;
    if (::pwrite(raw.descriptor(), block.get(), mkfs_block, place) != static_cast<ssize_t>(mkfs_block)) fail("write");
    if (::fdatasync(raw.descriptor()) != 0) fail("sync");
    milliseconds.push_back(watch.seconds() * 1e3);
  }
  return median(std::move(milliseconds));
}

std::string describe_durability(const std::string& device, double flush_milliseconds, const fs::path& sys) {
  const std::string cache = read_block_device(fs::path{device}.filename(), sys).write_cache;
  const std::string_view has = cache == "write back"      ? "has a write cache, which is flushed"
                               : cache == "write through" ? "says that it has no write cache"
                                                          : "does not say whether it has a write cache";
  return fmt::format("{} {}: a block of 4 KiB is durable after {} ms.", device, has, format_figure(flush_milliseconds));
}

}  // namespace freshet::tool

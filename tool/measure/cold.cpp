#include "tool/measure/cold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "src/pool.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

detail::os::file open_to_look(const fs::path& path) {
  std::error_code failure;
  detail::os::file file = detail::os::file::open_existing(path, failure);
  if (failure) throw error{failure, "open", path};
  return file;
}

// Nothing where this user is not told.
std::optional<std::uint64_t> told_bytes_in_cache(const detail::os::file& file, const fs::path& path) {
  std::error_code failure;
  const std::uint64_t size = file.status(failure).size;
  const detail::os::residency found = failure ? detail::os::residency{} : file.cached(failure);
  if (failure == std::errc::operation_not_permitted) return std::nullopt;
  if (failure) throw error{failure, "ask for the cached part of", path};
  return std::min(found.cached * detail::os::page_size(), size);
}

void drop_pages(detail::os::file& file, const fs::path& path) {
  std::error_code failure;
  file.advise(detail::os::advice::dont_need, 0, 0, failure);
  if (failure) throw error{failure, "evict", path};
}

// Has files evicted, one after another.
class evictor {
 public:
  void evict(const fs::path& path) {
    detail::os::file file = open_to_look(path);
    if (!can_be_cold(file, path)) return;
    drop_pages(file, path);
    // Pages that somebody has mapped stay, and those that somebody reads meanwhile.
    const auto left = told_bytes_in_cache(file, path);
    if (!left)
      find_fault("'{}': the system tells only its owner, and who may write it, what of it is in memory", path.string());
    else if (*left != 0)
      find_fault("'{}': {} bytes are still in memory; is it mapped or being read by another process?", path.string(),
                 *left);
  }

  [[nodiscard]] eviction finish() {
    made_.proven = faults_ == 0;
    if (faults_ > faults_told) made_.faults.push_back(fmt::format("and {} more", faults_ - faults_told));
    // It slows down everybody on the machine: not for a run that is not cold anyway.
    if (made_.proven) drop_names();
    return std::move(made_);
  }

 private:
  // Asks once for each file system, and has it written out: what is dirty stays in memory.
  bool can_be_cold(const detail::os::file& file, const fs::path& path) {
    std::error_code failure;
    const std::uint64_t device = file.status(failure).device;
    if (failure) throw error{failure, "look at", path};
    const auto [known, is_new] = devices_.try_emplace(device, true);
    if (!is_new) return known->second;
    const detail::os::file_system place = file_system_at(path);
    // What overlay answers is about its own pages, of which it has none: it uses those of the files below it.
    const bool can_be_proven = place.type != "overlay";
    known->second = can_be_proven && !is_in_memory(place);
    if (!known->second) {
      find_fault("'{}': {}", place.mount_point,
                 can_be_proven ? why_never_cold(place) : "overlay does not say what is cached");
      return false;
    }
    detail::os::sync_file_system(file, failure);
    if (failure) throw error{failure, "write out the file system of", path};
    return true;
  }

  void drop_names() {
    constexpr auto control = "/proc/sys/vm/drop_caches";
    constexpr std::string_view everything = "3\n";
    std::error_code failure;
    detail::os::file file = detail::os::file::open(
        control, {.what = detail::os::open_request::disposition::existing, .write = true}, failure);
    if (!failure) detail::write_all(file, std::as_bytes(std::span{everything}), 0, detail::append_once, failure);
    if (failure)
      made_.gaps.push_back(
          fmt::format("names and inodes may still be in memory: {}: {}; root may have the kernel drop them, too (sudo)",
                      control, failure.message()));
  }

  // Of thousands of files, some show what is the matter.
  template <typename... Arguments>
  void find_fault(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (++faults_ <= faults_told) made_.faults.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  static constexpr std::size_t faults_told = 3;
  eviction made_;
  std::size_t faults_ = 0;
  std::map<std::uint64_t, bool> devices_;  // whether their files can be cold
};

}  // namespace

eviction evict(std::span<const fs::path> files) {
  evictor all;
  for (const fs::path& path : files) {
    throw_if_interrupted();
    all.evict(path);
  }
  return all.finish();
}

void drop_pages(const fs::path& path) {
  detail::os::file file = open_to_look(path);
  std::error_code failure;
  file.sync(failure);  // what is dirty stays
  if (failure) throw error{failure, "evict", path};
  drop_pages(file, path);
}

std::string drop_all_pages(std::span<const fs::path> files) {
  try {
    std::uint64_t left = 0;
    for (const fs::path& path : files) {
      throw_if_interrupted();
      drop_pages(path);
      left += bytes_in_cache(path);
    }
    // Pages that somebody has mapped or locked stay, and those that somebody reads meanwhile.
    return left == 0 ? std::string{} : fmt::format("{} bytes stayed in memory; does another process hold them?", left);
  } catch (const error& failure) {
    return failure.what();
  }
}

void read_into_cache(const fs::path& path) {
  constexpr std::size_t piece = std::size_t{256} << 10;
  detail::os::file file = open_to_look(path);
  const detail::block memory = detail::pool::take(piece);
  std::uint64_t offset = 0;
  for (std::size_t got = 1; got != 0; offset += got) {
    throw_if_interrupted();
    std::error_code failure;
    detail::uninterrupted(failure, [&] { got = file.read_at(memory.bytes(), offset, failure); });
    if (failure) throw error{failure, "read", path, offset};
  }
}

std::optional<std::uint64_t> told_bytes_in_cache(const fs::path& path) {
  return told_bytes_in_cache(open_to_look(path), path);
}

std::uint64_t bytes_in_cache(const fs::path& path) {
  if (const auto found = told_bytes_in_cache(path)) return *found;
  throw error{std::make_error_code(std::errc::operation_not_permitted), "ask for the cached part of", path};
}

}  // namespace freshet::tool

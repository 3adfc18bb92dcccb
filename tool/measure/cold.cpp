#include "tool/measure/cold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <freshet/error.hpp>

#include "src/base/pool.hpp"
#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view dropping_control = "sys/vm/drop_caches";

detail::os::file open_for_stat(const fs::path& path) {
  std::error_code failure;
  detail::os::file file = detail::os::file::open_existing(path, failure);
  if (failure) throw error{failure, "open", path};
  return file;
}

// Empty if the system does not tell: `refused` says whether that is for this user or for all.
std::optional<std::uint64_t> ask_for_cached(const detail::os::file& file, const fs::path& path,
                                            std::error_code& refused) {
  std::error_code failure;
  const std::uint64_t size = file.status(failure).size;
  const detail::os::residency residency = failure ? detail::os::residency{} : file.cached(failure);
  if (failure == std::errc::operation_not_permitted || failure == std::errc::operation_not_supported) {
    refused = failure;
    return std::nullopt;
  }
  if (failure) throw error{failure, "ask for the cached part of", path};
  return std::min(residency.cached * detail::os::page_size(), size);
}

// Empty if the system does not tell this user.
std::optional<std::uint64_t> visible_bytes_in_cache(const detail::os::file& file, const fs::path& path) {
  std::error_code refused;
  return ask_for_cached(file, path, refused);
}

// Empty if the system tells nobody. @throws freshet::error  if it does not tell this user
std::optional<std::uint64_t> told_bytes_in_cache(const fs::path& path) {
  std::error_code refused;
  const auto bytes = ask_for_cached(open_for_stat(path), path, refused);
  if (refused == std::errc::operation_not_permitted) throw error{refused, "ask for the cached part of", path};
  return bytes;
}

void drop_pages_of(detail::os::file& file, const fs::path& path) {
  std::error_code failure;
  file.advise(detail::os::advice::dont_need, 0, 0, failure);
  if (failure) throw error{failure, "evict", path};
}

// Evicts files, one after another.
class evictor {
 public:
  void evict(const fs::path& path) {
    detail::os::file file = open_for_stat(path);
    if (!can_be_cold(file, path)) return;
    drop_pages_of(file, path);
    // Pages stay if a process has mapped them, or reads them meanwhile.
    const auto left = visible_bytes_in_cache(file, path);
    if (!left)
      add_problem("'{}': the system tells only its owner, and those who may write to it, how much of it is in memory",
                  path.string());
    else if (*left != 0)
      add_problem("'{}': {} bytes are still in memory; is it mapped or being read by another process?", path.string(),
                  *left);
  }

  [[nodiscard]] eviction finish() {
    result_.proven = problems_ == 0;
    if (problems_ > problems_listed) result_.reasons.push_back(fmt::format("and {} more", problems_ - problems_listed));
    // It slows down the whole machine, so it is not done for a run that is not cold anyway.
    if (result_.proven) drop_names();
    return std::move(result_);
  }

 private:
  // Checks each file system once, and writes it out, since dirty pages stay in memory.
  bool can_be_cold(const detail::os::file& file, const fs::path& path) {
    std::error_code failure;
    const std::uint64_t device = file.status(failure).device;
    if (failure) throw error{failure, "look at", path};
    const auto [known, is_new] = devices_.try_emplace(device, true);
    if (!is_new) return known->second;
    const detail::os::file_system place = file_system_at(path);
    // Overlay answers for its own pages, of which it has none: it uses those of the files below it.
    const bool can_be_proven = place.type != "overlay";
    known->second = can_be_proven && !is_in_memory(place);
    if (!known->second) {
      add_problem("'{}': {}", place.mount_point,
                  can_be_proven ? why_never_cold(place) : "overlay does not say what is cached");
      return false;
    }
    detail::os::sync_file_system(file, failure);
    if (failure) throw error{failure, "write out the file system of", path};
    return true;
  }

  void drop_names() {
    std::error_code failure;
    drop_kernel_caches("/proc", failure);
    if (failure)
      result_.caveats.push_back(
          fmt::format("names and inodes may still be in memory: /proc/{}: {}; root can also drop them (sudo)",
                      dropping_control, failure.message()));
  }

  // A few of thousands of files show the problem.
  template <typename... Arguments>
  void add_problem(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (++problems_ <= problems_listed)
      result_.reasons.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  static constexpr std::size_t problems_listed = 3;
  eviction result_;
  std::size_t problems_ = 0;
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

void drop_kernel_caches(const fs::path& proc, std::error_code& failure) {
  constexpr std::string_view everything = "3";
  detail::os::file file = detail::os::file::open(
      proc / dropping_control, {.creation = detail::os::open_request::disposition::existing, .write = true}, failure);
  if (!failure) detail::write_all(file, std::as_bytes(std::span{everything}), 0, detail::append_once, failure);
}

void drop_pages(const fs::path& path) {
  detail::os::file file = open_for_stat(path);
  std::error_code failure;
  file.sync(failure);  // dirty pages stay
  if (failure) throw error{failure, "evict", path};
  drop_pages_of(file, path);
}

std::string drop_all_pages(std::span<const fs::path> files) {
  try {
    std::uint64_t left = 0;
    for (const fs::path& path : files) {
      throw_if_interrupted();
      drop_pages(path);
      left += bytes_in_cache(path);
    }
    // Pages stay if a process has mapped or locked them, or reads them meanwhile.
    return left == 0 ? std::string{} : fmt::format("{} bytes stayed in memory; does another process hold them?", left);
  } catch (const error& failure) {
    return failure.what();
  }
}

void read_into_cache(const fs::path& path) {
  constexpr std::size_t piece = std::size_t{256} << 10;
  detail::os::file file = open_for_stat(path);
  const detail::block memory = detail::pool::take(piece);
  std::uint64_t offset = 0;
  for (std::size_t got = 1; got != 0; offset += got) {
    throw_if_interrupted();
    std::error_code failure;
    detail::uninterrupted(failure, [&] { got = file.read_at(memory.bytes(), offset, failure); });
    if (failure) throw error{failure, "read", path, offset};
  }
}

std::optional<std::uint64_t> warm_up(std::span<const fs::path> files) {
  constexpr int attempts = 3;
  bool complete = false;
  for (int attempt = 0; attempt < attempts && !complete; ++attempt) {
    complete = true;
    for (const fs::path& path : files) {
      throw_if_interrupted();
      const auto cached = told_bytes_in_cache(path);
      if (cached >= fs::file_size(path)) continue;
      complete = complete && !cached;  // where nobody is told, once has to do
      read_into_cache(path);
    }
  }
  return visible_bytes_in_cache(files);
}

std::optional<std::uint64_t> visible_bytes_in_cache(const fs::path& path) {
  return visible_bytes_in_cache(open_for_stat(path), path);
}

std::optional<std::uint64_t> visible_bytes_in_cache(std::span<const fs::path> files) {
  std::uint64_t all = 0;
  for (const fs::path& path : files) {
    const auto bytes = visible_bytes_in_cache(path);
    if (!bytes) return {};
    all += *bytes;
  }
  return all;
}

std::uint64_t bytes_in_cache(const fs::path& path) {
  if (const auto bytes = visible_bytes_in_cache(path)) return *bytes;
  throw error{std::make_error_code(std::errc::operation_not_permitted), "ask for the cached part of", path};
}

std::uint64_t bytes_in_cache(std::span<const fs::path> files) {
  std::uint64_t all = 0;
  for (const fs::path& path : files) all += bytes_in_cache(path);
  return all;
}

}  // namespace freshet::tool

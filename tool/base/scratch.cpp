#include "tool/base/scratch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <string_view>

#include <freshet/error.hpp>

#include "src/os/fork.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view scratch_prefix = ".freshet-";
constexpr std::string_view lock_name = "lock";
constexpr std::string_view kept_prefix = "kept-";

// A directory without a lock yet may belong to a run that is just starting.
constexpr auto time_to_lock = std::chrono::minutes{1};

detail::os::file open_lock(const fs::path& directory, detail::os::open_request::disposition creation,
                           std::error_code& error) {
  return detail::os::file::open(directory / lock_name, {.creation = creation, .read = true}, error);
}

// Whether `lock` is still the file of that name, and not one whose directory was removed meanwhile.
bool has_its_name(const detail::os::file& lock, const fs::path& directory) {
  struct stat open = {};
  struct stat named = {};
  return fstat(lock.descriptor(), &open) == 0 && lstat((directory / lock_name).c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

// Only a real directory of this user named ".freshet-<digits>-<hexadecimal digits>" may be removed.
bool looks_like_ours(const fs::directory_entry& entry) {
  const std::string whole_name = entry.path().filename();
  std::string_view name = whole_name;
  struct stat status = {};
  if (!name.starts_with(scratch_prefix) || lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return false;
  name.remove_prefix(scratch_prefix.size());
  const std::size_t dash = name.find('-');
  if (dash == 0 || dash == std::string_view::npos || dash + 1 == name.size()) return false;
  return name.substr(0, dash).find_first_not_of("0123456789") == std::string_view::npos &&
         name.substr(dash + 1).find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         status.st_uid == geteuid();
}

bool remove_if_dead(const fs::directory_entry& entry) {
  std::error_code error;
  const detail::os::file lock = open_lock(entry.path(), detail::os::open_request::disposition::existing, error);
  if (!lock.is_open()) {
    const auto changed = fs::last_write_time(entry.path(), error);
    if (error || fs::file_time_type::clock::now() - changed < time_to_lock) return false;
  } else if (lock.lock(error); error) {
    return false;
  }
  fs::remove_all(entry.path(), error);
  return !error;
}

}  // namespace

unsigned remove_leftovers(const fs::path& directory) {
  unsigned removed = 0;
  std::error_code error;
  // A directory that cannot be listed cannot be cleaned up, which is no reason to stop.
  for (fs::directory_iterator entry{directory, error}, end; !error && entry != end; entry.increment(error))
    if (looks_like_ours(*entry) && remove_if_dead(*entry)) ++removed;
  return removed;
}

scratch::scratch(const fs::path& directory) : generation_{detail::os::fork_generation()} {
  remove_leftovers(directory);
  std::random_device random;
  while (true) {
    path_ = directory / fmt::format("{}{}-{:08x}", scratch_prefix, getpid(), random());
    if (mkdir(path_.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      throw error{{errno, std::system_category()}, "make a directory for trial files in", directory};
    }
    std::error_code failure;
    lock_ = open_lock(path_, detail::os::open_request::disposition::create, failure);
    // Before it is locked, another run that cleans up may take this directory for a leftover, and remove or lock it.
    if (failure && failure != std::errc::no_such_file_or_directory) {
      std::error_code ignored;
      fs::remove_all(path_, ignored);
      throw error{failure, "open", path_ / lock_name};
    }
    if (!failure && claim()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);  // that other run does the same
  }
}

bool scratch::claim() {
  // On a file system without locks (some network file systems), no other run can lock it, so none removes it.
  std::error_code failure;
  lock_.lock(failure);
  return failure != std::errc::operation_would_block && has_its_name(lock_, path_);
}

scratch::~scratch() {
  if (generation_ != detail::os::fork_generation()) return;
  std::error_code failure;
  fs::remove_all(path_, failure);
  if (!failure) return;
  // A file system in user space may keep an open file under another name in the directory.
  lock_.close(failure);
  fs::remove_all(path_, failure);
}

fs::path scratch::file(unsigned number) const { return path_ / fmt::format("trial-{}", number); }
fs::path scratch::kept_file(unsigned number) const { return path_ / fmt::format("{}{}", kept_prefix, number); }

void scratch::clear() {
  std::error_code failure;
  for (fs::directory_iterator entry{path_, failure}, end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename();
    if (name == lock_name || name.starts_with(kept_prefix)) continue;
    if (fs::is_directory(entry->symlink_status(failure)))
      fs::remove_all(entry->path(), failure);
    else
      detail::os::remove(entry->path(), failure);
    if (failure) throw error{failure, "remove", entry->path()};
  }
  if (failure) throw error{failure, "list the trial files in", path_};
}

}  // namespace freshet::tool

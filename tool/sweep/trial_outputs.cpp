#include "tool/sweep/trial_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// ext4 without a journal does not reuse the inode of a removed file for 60 s, and for 300 s more if the inode's block
// is still to be written. Until then it searches all of them for each new file (recently_deleted() in
// fs/ext4/ialloc.c).
constexpr double shortly = 360;

void empty_files(const fs::path& directory) {
  std::error_code failure;
  fs::directory_iterator entry{directory, failure};
  for (const fs::directory_iterator end; !failure && entry != end; entry.increment(failure)) {
    throw_if_interrupted();
    fs::resize_file(entry->path(), 0, failure);
    if (failure) throw error{failure, "empty", entry->path()};
  }
  if (failure) throw error{failure, "list", directory};
}

}  // namespace

trial_outputs::trial_outputs(fs::path directory, std::uint64_t most_files)
    : directory_{std::move(directory)}, most_files_{most_files} {}

fs::path trial_outputs::next(std::uint64_t files) {
  if (files_ != 0 && files_ + files > most_files_)
    remove_all();
  else if (!kept_.empty())
    empty_files(kept_.back());
  std::error_code failure;
  fs::path next = directory_ / fmt::format("out-{}", created_++);
  if (!fs::create_directory(next, failure)) throw error{failure, "create", next};
  kept_.push_back(next);
  files_ += files;
  return next;
}

bool trial_outputs::removed_shortly_before() const { return removed_ && removed_->seconds() < shortly; }

void trial_outputs::remove_all() {
  for (const fs::path& each : kept_) {
    throw_if_interrupted();
    std::error_code failure;
    fs::remove_all(each, failure);
    if (failure) throw error{failure, "remove", each};
  }
  kept_.clear();
  files_ = 0;
  removed_.emplace();
}

std::uint64_t most_emptied_files(std::uint64_t available) noexcept {
  constexpr std::uint64_t bytes_per_inode = std::uint64_t{16} << 10;  // as mke2fs creates them
  constexpr std::uint64_t share = 4;
  constexpr std::uint64_t most = 1'000'000;  // each takes 1 KiB of the kernel's memory
  return std::min(most, available / bytes_per_inode / share);
}

}  // namespace freshet::tool

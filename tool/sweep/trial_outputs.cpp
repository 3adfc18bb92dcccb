#include "tool/sweep/trial_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// ext4 without a journal leaves a deleted file's inode alone for 60 s, for 300 s more where its block is yet to be
// written, and looks at each of them again and again for one that is free (recently_deleted() in fs/ext4/ialloc.c).
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
  fs::path made = directory_ / fmt::format("out-{}", made_++);
  if (!fs::create_directory(made, failure)) throw error{failure, "make", made};
  kept_.push_back(made);
  files_ += files;
  return made;
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
  constexpr std::uint64_t bytes_per_inode = std::uint64_t{16} << 10;  // as mke2fs counts them out
  constexpr std::uint64_t share = 4;
  constexpr std::uint64_t most = 1'000'000;  // the kernel keeps 1 KiB in memory for each
  return std::min(most, available / bytes_per_inode / share);
}

}  // namespace freshet::tool

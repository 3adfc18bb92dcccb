#include "tool/campaign/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/proc_files.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

fs::path lock_of(const fs::path& store) { return store.string() + ".campaign"; }

bool has_open(int process, const struct stat& file) {
  std::error_code gone;
  for (fs::directory_iterator each{fmt::format("/proc/{}/fd", process), gone}, end; !gone && each != end;
       each.increment(gone)) {
    struct stat open = {};
    if (::stat(each->path().c_str(), &open) == 0 && open.st_ino == file.st_ino && open.st_dev == file.st_dev)
      return true;
  }
  return false;
}

// Processes that have the lock's file open: a campaign's own, and its steps'.
std::vector<int> find_holders(const fs::path& lock) {
  std::vector<int> holders;
  struct stat file = {};
  if (::stat(lock.c_str(), &file) != 0) return holders;
  for (const int process : list_processes())
    if (process != ::getpid() && has_open(process, file)) holders.push_back(process);
  return holders;
}

std::string describe_processes(const std::vector<int>& processes) {
  std::string text;
  for (const int each : processes) {
    const auto status = read_process_status(each);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
    if (status) text += fmt::format(" ({})", replace_controls(status->name));
  }
  return text;
}

void write_process_id(const detail::os::file& lock) {
  const std::string text = fmt::format("{}\n", ::getpid());
  // Nobody depends on it but messages.
  if (::ftruncate(lock.descriptor(), 0) == 0)
    static_cast<void>(::pwrite(lock.descriptor(), text.data(), text.size(), 0) == 0);
}

}  // namespace

std::optional<int> process_at_work(const fs::path& store) {
  const auto owner = read_number(lock_of(store));
  const std::vector<int> holders = find_holders(lock_of(store));
  if (!owner || std::ranges::find(holders, static_cast<int>(*owner)) == holders.end()) return {};
  return static_cast<int>(*owner);
}

campaign_lock::campaign_lock(const fs::path& store, const std::function<void(const std::string& processes)>& waits) {
  const fs::path path = lock_of(store);
  constexpr unsigned mode = 0644;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
  if (descriptor < 0) throw error{{errno, std::system_category()}, "open", path};
  file_ = detail::os::file::wrap(descriptor, true);
  std::error_code failure;
  bool told = false;
  for (file_.lock(failure); failure == std::errc::operation_would_block; file_.lock(failure)) {
    if (const auto owner = process_at_work(store))
      throw error{failure, "lock", path, error::no_offset,
                  fmt::format("process {} works on a campaign of this store", *owner)};
    const std::vector<int> holders = find_holders(path);
    if (!told && !holders.empty()) waits(describe_processes(holders));
    told = told || !holders.empty();
    constexpr double pause = 0.1;
    sleep_interruptibly(pause);
  }
  if (failure) throw error{failure, "lock", path};
  write_process_id(file_);
}

}  // namespace freshet::tool

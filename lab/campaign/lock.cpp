#include "lab/campaign/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "lab/campaign/journal.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/proc_files.hpp"
#include "tool/measure/process.hpp"

#include "tool/store/attempt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

fs::path lock_of(const fs::path& store) { return store.string() + ".campaign"; }

bool has_open(int process, const struct stat& file) {
  return std::ranges::any_of(list_entries(fmt::format("/proc/{}/fd", process)), [&](const fs::path& each) {
    struct stat open = {};
    return ::stat(each.c_str(), &open) == 0 && open.st_ino == file.st_ino && open.st_dev == file.st_dev;
  });
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

// Whether it is one of a step: others that have the lock's file open wait for the lock themselves.
bool belongs_to_step(int process) {
  std::ifstream in{fmt::format("/proc/{}/environ", process), std::ios::binary};
  for (std::string setting; std::getline(in, setting, '\0');)
    if (setting.starts_with(std::string{attempt_variable} + '=')) return true;
  return false;
}

std::vector<int> find_step_processes(const fs::path& lock) {
  std::vector<int> processes = find_holders(lock);
  std::erase_if(processes, [](int each) { return !belongs_to_step(each); });
  return processes;
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

// Asks each of its processes once; `asked` has those that were.
void end_rest_of_step(const fs::path& lock, std::set<int>& asked, const std::function<void(const std::string&)>& ends) {
  std::vector<int> left = find_step_processes(lock);
  std::erase_if(left, [&](int each) { return !asked.insert(each).second; });
  if (left.empty()) return;
  ends(describe_processes(left));
  for (const int each : left) ::kill(each, SIGTERM);
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

campaign_lock::campaign_lock(const fs::path& store, const std::function<void(const std::string& processes)>& ends) {
  const fs::path path = lock_of(store);
  constexpr unsigned mode = 0644;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
  if (descriptor < 0) throw error{{errno, std::system_category()}, "open", path};
  file_ = detail::os::file::wrap(descriptor, true);
  std::error_code failure;
  // Freshet itself is told of its campaign's end, and takes a second signal for impatience: it leaves its files behind.
  constexpr double time_to_end = 2;
  std::set<int> asked;
  const stopwatch waited;
  for (file_.lock(failure); failure == std::errc::operation_would_block; file_.lock(failure)) {
    if (const auto owner = process_at_work(store))
      throw error{failure, "lock", path, error::no_offset,
                  fmt::format("process {} works on a campaign of this store", *owner)};
    if (waited.seconds() > time_to_end) end_rest_of_step(path, asked, ends);
    constexpr double pause = 0.1;
    sleep_interruptibly(pause);
  }
  if (failure) throw error{failure, "lock", path};
  write_process_id(file_);
}

}  // namespace freshet::tool

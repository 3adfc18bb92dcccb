// What other processes write during a trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace freshet::tool {

/// Bytes by the name of the process that wrote them.
using written_by_name = std::map<std::string, std::uint64_t>;

/// Counts from its construction on. Excludes this process, its children, `own` (process ids) and their children, and
/// the kernel's threads, which write on behalf of others. Only root sees the processes of other users; the count of a
/// process that ended is added to that of the parent that waited for it (proc_pid_io(5)).
class other_writers {
 public:
  explicit other_writers(std::set<int> own = {}, std::filesystem::path proc = "/proc");
  /// Bytes written so far to any file system except those in memory. They need not have reached a device yet.
  [[nodiscard]] written_by_name written() const;

 private:
  struct process {
    std::string name;
    int parent = 0;
    std::uint64_t started = 0;  ///< with its id, it identifies a process
    std::uint64_t written = 0;
    bool is_other = true;
  };
  using processes = std::map<int, process>;

  [[nodiscard]] processes look() const;
  [[nodiscard]] std::map<int, std::uint64_t> inherited_by(const processes& now) const;

  std::set<int> own_;
  std::filesystem::path proc_;
  processes before_;
};

}  // namespace freshet::tool

// What other processes write meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace freshet::tool {

/// Bytes by the name of the process that wrote them.
using written_by_name = std::map<std::string, std::uint64_t>;

/// Counts from its making on. Not among the others are this process, those that it started, `own`, and the kernel's
/// threads, which write for whoever asked them to. Of other users' processes only root is told; of those that ended
/// meanwhile, whoever waited for them has the count (proc_pid_io(5)).
class neighbours {
 public:
  explicit neighbours(std::set<int> own = {}, std::filesystem::path proc = "/proc");
  /// To any file system but those in memory; not all of it need have reached a device yet.
  [[nodiscard]] written_by_name written() const;

 private:
  struct process {
    std::string name;
    int parent = 0;
    std::uint64_t started = 0;  ///< with its number, it tells a process from any other
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

#include "tool/measure/proc_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

bool has_word(const std::string& list, std::string_view wanted) {
  return fmt::format(",{},", list).find(fmt::format(",{},", wanted)) != std::string::npos;
}

/// A mounted hierarchy of control groups.
struct hierarchy {
  fs::path mount_point;
  std::string root;  ///< the group that is mounted there
  std::string own;   ///< this process's group
};

// "1:cpu,cpuacct:/group", "0::/group": cgroups(7).
void add_own_groups(const hierarchy& mounted, bool unified, std::string_view controller, const fs::path& proc,
                    std::vector<hierarchy>& all) {
  std::ifstream groups{proc / "self/cgroup"};
  for (std::string group; std::getline(groups, group);) {
    const std::size_t first = group.find(':');
    const std::size_t second = group.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = group.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_word(controllers, controller))
      all.push_back({mounted.mount_point, mounted.root, group.substr(second + 1)});
  }
}

// "31 23 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu": proc_pid_mountinfo(5).
std::vector<hierarchy> find_hierarchies(std::string_view controller, const fs::path& proc) {
  std::vector<hierarchy> all;
  for (const detail::os::mount_entry& mount : list_mounts(proc)) {
    const bool unified = mount.type == "cgroup2";
    if (unified || (mount.type == "cgroup" && has_word(mount.options, controller)))
      add_own_groups({mount.mount_point, mount.root, {}}, unified, controller, proc, all);
  }
  return all;
}

void add_group_and_parents(const hierarchy& all, std::vector<fs::path>& groups) {
  std::string below = all.own;
  if (all.root != "/" && below.starts_with(all.root)) below.erase(0, all.root.size());
  for (fs::path group = fs::path{below}.relative_path(); !group.empty(); group = group.parent_path())
    groups.push_back(all.mount_point / group);
  groups.push_back(all.mount_point);
}

}  // namespace

std::string read_first_line(const fs::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  line.erase(line.find_last_not_of(" \t") + 1);
  return line;
}

std::optional<std::int64_t> read_number(const fs::path& file) {
  std::int64_t number = 0;
  if (std::ifstream in{file}; in >> number) return number;
  return {};
}

std::optional<std::uint64_t> read_labelled(const fs::path& file, std::string_view label) {
  std::ifstream in{file};
  std::string word;
  for (std::string rest; in >> word; std::getline(in, rest))
    if (std::uint64_t value = 0; word == label && in >> value) {
      std::getline(in, rest);
      return rest == " kB" ? value << 10 : value;
    }
  return {};
}

std::optional<std::string> find_line(const fs::path& file, std::string_view beginning) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(beginning)) return line.substr(beginning.size());
  return {};
}

std::vector<detail::os::mount_entry> list_mounts(const fs::path& proc) {
  std::vector<detail::os::mount_entry> all;
  std::ifstream mounts{proc / "self/mountinfo"};
  for (std::string line; std::getline(mounts, line);)
    if (auto each = detail::os::parse_mount(line)) all.push_back(std::move(*each));
  return all;
}

// "/dev/vda2 partition 4194300 1024 -2" below a heading: sizes in KiB (proc_swaps(5)).
std::vector<swap_space> list_swaps(const fs::path& proc) {
  std::vector<swap_space> all;
  std::ifstream in{proc / "swaps"};
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream words{line};
    std::string kind;
    std::uint64_t size = 0;
    swap_space& space = all.emplace_back();
    if (words >> space.name >> kind >> size >> space.used) space.used <<= 10;
  }
  return all;
}

std::vector<fs::path> find_control_groups(std::string_view controller, const fs::path& proc) {
  std::vector<fs::path> groups;
  for (const hierarchy& each : find_hierarchies(controller, proc)) add_group_and_parents(each, groups);
  return groups;
}

}  // namespace freshet::tool

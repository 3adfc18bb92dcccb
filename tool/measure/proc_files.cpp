#include "tool/measure/proc_files.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, separator);) words.push_back(std::move(word));
  return words;
}

bool has_word(const std::string& list, std::string_view wanted) {
  const auto words = split(list, ',');
  return std::ranges::find(words, wanted) != words.end();
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
  std::ifstream mounts{proc / "self/mountinfo"};
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t end = line.find(" - ");
    if (end == std::string::npos) continue;
    const auto mount = split(line.substr(0, end), ' ');
    const auto system = split(line.substr(end + 3), ' ');
    if (mount.size() < 5 || system.size() < 3) continue;
    const bool unified = system[0] == "cgroup2";
    if (unified || (system[0] == "cgroup" && has_word(system[2], controller)))
      add_own_groups({mount[4], mount[3], {}}, unified, controller, proc, all);
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

std::vector<fs::path> find_control_groups(std::string_view controller, const fs::path& proc) {
  std::vector<fs::path> groups;
  for (const hierarchy& each : find_hierarchies(controller, proc)) add_group_and_parents(each, groups);
  return groups;
}

}  // namespace freshet::tool

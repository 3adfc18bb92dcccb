#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>

#include "tool/base/place.hpp"
#include "tool/doctor/reading.hpp"
#include "tool/measure/proc_files.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// Bits of a mark's mask for which a program waits (linux/fanotify.h): FAN_OPEN_PERM, FAN_ACCESS_PERM and, from Linux
// 6.14 on, FAN_PRE_ACCESS.
constexpr std::uint64_t delaying_events = 0x10000 | 0x20000 | 0x100000;

// As marks name it.
struct marked_place {
  std::uint64_t mount = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

marked_place find_marked_place(const fs::path& directory, const fs::path& proc) {
  constexpr unsigned minor_bits = 20;
  const detail::os::mount_entry mount = find_mount_above(normalize_directory(directory), proc);
  struct stat status = {};
  static_cast<void>(::stat(directory.c_str(), &status));
  return {.mount = mount.id,
          .device = std::uint64_t{mount.major} << minor_bits | mount.minor,
          .inode = static_cast<std::uint64_t>(status.st_ino)};
}

// The hexadecimal number behind " label" in the line.
std::optional<std::uint64_t> find_number(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  std::uint64_t number = 0;
  const char* const begin = line.data() + at + label.size();
  const auto [end, failure] = std::from_chars(begin, line.data() + line.size(), number, 16);
  return failure == std::errc{} ? std::optional{number} : std::nullopt;
}

// "fanotify mnt_id:1d mflags:0 mask:10000 ignored_mask:0" marks a mount, "fanotify sdev:800001 mflags:0 …" a file
// system, and "fanotify ino:4f9 sdev:800001 mflags:0 …" a file or directory: proc_pid_fdinfo(5).
bool covers(std::string_view mark, const marked_place& place) {
  if (const auto mount = find_number(mark, " mnt_id:")) return *mount == place.mount;
  const auto inode = find_number(mark, " ino:");
  return find_number(mark, " sdev:") == place.device && (!inode || *inode == place.inode);
}

// The group by the mark of it that matters most; empty if it has none.
std::optional<fanotify_group> read_group(const fs::path& file, const std::string& program, const marked_place& place) {
  const auto weight = [](const fanotify_group& each) {
    return std::tuple{each.delays && each.covers, each.delays, each.covers};
  };
  std::optional<fanotify_group> most;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    const auto mask = find_number(line, " mask:");
    if (!line.starts_with("fanotify ") || !mask) continue;
    const fanotify_group each{.program = program,
                              .file = file,
                              .mark = line,
                              .delays = (*mask & delaying_events) != 0,
                              .covers = covers(line, place)};
    if (!most || weight(*most) < weight(each)) most = each;
  }
  return most;
}

// Returns false if this user may not see the process's files.
bool append_groups(const fs::path& process, const std::string& program, const marked_place& place,
                   std::vector<fanotify_group>& groups) {
  std::error_code failure;
  for (const fs::path& each : list_entries(process / "fd", failure)) {
    std::error_code closed;
    const fs::path open = fs::read_symlink(each, closed);
    if (closed == std::errc::permission_denied) return false;
    if (open != "anon_inode:[fanotify]") continue;
    if (auto group = read_group(process / "fdinfo" / each.filename(), program, place))
      groups.push_back(std::move(*group));
  }
  return failure != std::errc::permission_denied;
}

}  // namespace

watcher_facts read_watchers(const fs::path& directory, const system_roots& roots, unseen_facts& unseen) {
  watcher_facts facts;
  const marked_place place = find_marked_place(directory, roots.proc);
  bool hidden = false;
  for (const int number : list_processes(roots.proc)) {
    const fs::path process = roots.proc / std::to_string(number);
    const std::string program = read_first_line(process / "comm");
    if (program.empty()) continue;
    facts.programs.emplace(program, process / "comm");
    if (!append_groups(process, program, place, facts.groups)) hidden = true;
  }
  if (hidden)
    unseen.push_back({"files that processes of other users watch",
                      fmt::format("this user may not read their {}/PID/fd", roots.proc.string())});
  return facts;
}

}  // namespace freshet::tool

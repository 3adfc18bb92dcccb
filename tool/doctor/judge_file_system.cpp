#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>

#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

constexpr double full = 0.95;
constexpr double nearly_full = 0.9;

/// A mount option that distorts.
struct option_entry {
  std::string_view option;
  bool begins_with = false;  ///< also with more behind it
  severity weight;
  std::string_view text;
  std::string_view remedy;  ///< an option for mount -o remount; empty: none does
};

constexpr std::array known_options = {
    option_entry{"sync", false, severity::matters, "Every write waits for the disk, whatever a program asks for.",
                 "async"},
    option_entry{"dirsync", false, severity::may_matter, "Creating, renaming and deleting a file waits for the disk.",
                 ""},
    option_entry{"data=journal", false, severity::matters,
                 "Everything is written twice: to the journal, and then to its place. Direct I/O is not direct.", ""},
    option_entry{"nobarrier", false, severity::matters,
                 "The file system sends no flushes to the disk, so that durable files are not durable, only fast.",
                 "barrier"},
    option_entry{"barrier=0", false, severity::matters,
                 "The file system sends no flushes to the disk, so that durable files are not durable, only fast.",
                 "barrier=1"},
    option_entry{"compress", true, severity::matters,
                 "The file system compresses files: what is measured depends on their content.", ""},
    option_entry{"discard", false, severity::may_matter,
                 "Deleting a file tells the disk about the freed blocks soon after, which may slow down the trial that "
                 "follows.",
                 "nodiscard"},
    option_entry{"ro", false, severity::matters, "The file system is read-only: nothing can be written.", "rw"},
};

constexpr std::array remote_types = {"nfs",  "nfs4", "cifs",   "smb3",  "9p",   "virtiofs",
                                     "ceph", "afs",  "vboxsf", "drvfs", "gpfs", "lustre"};

const option_entry* find_entry(std::string_view option) {
  const auto at = std::ranges::find_if(known_options, [option](const option_entry& each) {
    return each.begins_with ? option.starts_with(each.option) : option == each.option;
  });
  return at == known_options.end() ? nullptr : &*at;
}

void judge_options(const detail::os::file_system& place, std::vector<finding>& findings) {
  bool sound = true;
  std::istringstream all{place.mount_options};
  for (std::string option; std::getline(all, option, ',');) {
    const option_entry* const entry = find_entry(option);
    if (entry == nullptr) continue;
    sound = false;
    finding result{.weight = entry->weight,
                   .topic = "mount option",
                   .summary = "mounted with " + option,
                   .text = std::string{entry->text},
                   .evidence = fmt::format("{} is mounted with {}", place.mount_point, option),
                   .remedy = "Mount it without that option."};
    if (!entry->remedy.empty())
      result.remedy = fmt::format("sudo mount -o remount,{} {}", entry->remedy, quote_for_shell(place.mount_point));
    findings.push_back(std::move(result));
  }
  if (sound)
    findings.push_back(fine("mount option", "No mount option changes how files are written.", place.mount_options));
}

void judge_space(const storage_facts& storage, std::vector<finding>& findings) {
  const detail::os::file_system& place = storage.place;
  if (place.total == 0) return;
  const double used = 1 - static_cast<double>(place.available) / static_cast<double>(place.total);
  const std::string evidence =
      fmt::format("{} of {} are free for this user", format_size(place.available), format_size(place.total));
  if (used < nearly_full) return findings.push_back(fine("free space", "There is space on the file system.", evidence));
  findings.push_back({.weight = used >= full ? severity::matters : severity::may_matter,
                      .topic = "free space",
                      .summary = fmt::format("disk {:.0f} % full", 100 * used),
                      .text = fmt::format("The file system is {:.0f} % full: new files come in pieces where there is "
                                          "space left, and solid-state disks write more slowly.",
                                          100 * used),
                      .evidence = evidence,
                      .remedy = fmt::format("Delete files, or measure elsewhere: du -xh -d 1 {} | sort -h",
                                            quote_for_shell(place.mount_point))});
}

std::optional<finding> judge_type(const storage_facts& storage) {
  const detail::os::file_system& place = storage.place;
  finding result{.weight = severity::may_matter,
                 .topic = "file system",
                 .summary = "files on " + place.type,
                 .text = {},
                 .evidence = fmt::format("{} is {}", place.mount_point, place.type),
                 .remedy = "Measure in the directory where your files will be."};
  if (is_in_memory(place)) {
    result.summary = "files in memory";
    result.text = "The files are in memory: no disk is measured, and nothing is durable.";
  } else if (place.type == "overlay") {
    result.text = "An overlay lies above other file systems, as in containers. A volume has a file system of its own.";
    result.remedy = "Measure in a volume, if your files will be in one.";
  } else if (std::ranges::find(remote_types, place.type) != remote_types.end()) {
    result.text = "The files are on another machine: what it does besides, and how it writes, cannot be seen here.";
    result.remedy = "Repeat measurements at other times of the day.";
  } else if (place.type.starts_with("fuse")) {
    result.text = "A program in user space serves the files, and its processor time counts as that of others.";
  } else {
    return {};
  }
  return result;
}

}  // namespace

void judge_file_system(const machine_facts& facts, std::vector<finding>& findings) {
  if (auto type = judge_type(facts.storage)) findings.push_back(std::move(*type));
  judge_space(facts.storage, findings);
  judge_options(facts.storage.place, findings);
}

}  // namespace freshet::tool

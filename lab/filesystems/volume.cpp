#include "lab/filesystems/volume.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tool/base/child.hpp"
#include "tool/base/text.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stale_content = "after a crash, files may show what deleted files held";
constexpr std::string_view five_seconds = "a crash may lose the last minute, not 5 s, of what no program has synced";

constexpr std::array ext4_made{
    volume_option{"-J size=256"},
    volume_option{"-O fast_commit"},
    volume_option{"-T largefile", "an inode for each MiB: it runs out of them if files are small"},
    volume_option{"-O ^metadata_csum", "damaged metadata goes unnoticed"},
};
constexpr std::array ext4_mounted{
    volume_option{"noatime"},
    volume_option{"lazytime"},
    volume_option{"commit=60", five_seconds},
    volume_option{"data=writeback", stale_content},
};
constexpr std::array xfs_made{
    volume_option{"-d agcount=4"},
    volume_option{"-l size=64m"},
    volume_option{"-m reflink=0", "cp --reflink copies everything"},
    volume_option{"-m finobt=0", "making files slows down once many were deleted"},
};
constexpr std::array xfs_mounted{
    volume_option{"noatime"},
    volume_option{"logbsize=256k"},
    volume_option{"allocsize=64m"},
};
constexpr std::array btrfs_made{
    volume_option{"-m single", "damaged metadata has no second copy"},
    volume_option{"-n 4096"},
    volume_option{"-n 65536"},
};
constexpr std::array btrfs_mounted{
    volume_option{"noatime"},
    volume_option{"nodatacow", "no checksums of data, no compression"},
    volume_option{"nodatasum", "no checksums of data"},
    volume_option{"commit=60", "a crash may lose the last minute, not 30 s, of what no program has synced"},
};
constexpr std::array only_noatime{volume_option{"noatime"}};
constexpr std::span<const volume_option> none;

// Nothing is discarded: a loop file would lose its blocks, and a device would be busy with it during trials. ext4
// zeroes its tables at once, because doing so later would disturb trials.
constexpr std::string_view ext_always = "-q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0";
constexpr std::string_view ext2_always = "-q -F -E nodiscard,lazy_itable_init=0";
constexpr std::array kinds{
    volume_kind{"ext4", "e2fsprogs", ext_always, "nodiscard", true, ext4_made, ext4_mounted},
    volume_kind{"xfs", "xfsprogs", "-q -f -K", "nodiscard", true, xfs_made, xfs_mounted},
    volume_kind{"btrfs", "btrfs-progs", "-q -f -K", "nodiscard", true, btrfs_made, btrfs_mounted,
                "keeps checksums of data, and never overwrites"},
    volume_kind{"f2fs", "f2fs-tools", "-q -f -t 0", "nodiscard", true, none, only_noatime, "for flash"},
    volume_kind{"bcachefs", "bcachefs-tools", "-q --force", "", true, none, only_noatime},
    volume_kind{"jfs", "jfsutils", "-q", "", true, none, only_noatime},
    volume_kind{"nilfs2", "nilfs-tools", "-q -f -K", "nodiscard", true, none, only_noatime, "a log"},
    volume_kind{"ext3", "e2fsprogs", ext_always, "nodiscard", false, none, only_noatime,
                "ext4's predecessor, by ext4's driver"},
    volume_kind{"ext2", "e2fsprogs", ext2_always, "", false, none, only_noatime,
                "without a journal: after a crash it has to be checked"},
    volume_kind{"reiserfs", "reiserfsprogs", "-q -ff", "", false, none, only_noatime, "removed from Linux in 2024"},
    volume_kind{"exfat", "exfatprogs", "", "", false, none, only_noatime, "without a journal, for exchange"},
    volume_kind{"vfat", "dosfstools", "", "", false, none, only_noatime, "without a journal, for exchange"},
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::istringstream all{std::string{text}};
  for (std::string part; std::getline(all, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// Words of which each that begins with "-" starts an option.
std::vector<std::string> parse_options(std::string_view text) {
  std::vector<std::string> options;
  for (const std::string& word : split(text, ' '))
    if (word.starts_with('-') || options.empty())
      options.push_back(word);
    else
      options.back() += ' ' + word;
  return options;
}

bool is_registered(std::string_view type, const fs::path& proc) {
  std::ifstream list{proc / "filesystems"};
  for (std::string line; std::getline(list, line);)
    if (line == "\t" + std::string{type}) return true;
  return false;
}

bool has_module(std::string_view type, fs::path modules) {
  if (modules.empty()) {
    utsname system = {};
    if (::uname(&system) == 0) modules = fs::path{"/lib/modules"} / system.release;
  }
  std::ifstream list{modules / "modules.dep"};
  const std::string name = fmt::format("/{}.ko", type);
  for (std::string line; std::getline(list, line);)
    if (line.substr(0, line.find(':')).find(name) != std::string::npos) return true;
  return false;
}

bool contains(const std::vector<std::string>& options, std::string_view option) {
  return std::ranges::find(options, option) != options.end();
}

}  // namespace

// Not all users have the directories of the system's programs in PATH.
std::string find_program(std::string_view program) {
  return find_command(program, "/usr/local/sbin:/usr/sbin:/sbin").string();
}

std::string name_of(const volume& which) {
  std::string name = which.type;
  for (const std::string& option : which.made_with) name += " " + option;
  if (!which.mounted_with.empty()) name += fmt::format(", {}", fmt::join(which.mounted_with, ","));
  return name;
}

volume parse_volume(std::string_view name) {
  if (is_aged(name)) name.remove_suffix(aged_suffix.size());
  const std::size_t comma = name.find(", ");
  const std::string_view made = name.substr(0, comma);
  volume result{.type = std::string{made.substr(0, made.find(' '))}, .made_with = {}, .mounted_with = {}};
  if (find_volume_kind(result.type) == nullptr) {
    std::vector<std::string_view> known;
    for (const volume_kind& each : kinds) known.push_back(each.type);
    reject(result.type, "a known file system", fmt::format("expected one of {}", fmt::join(known, ", ")));
  }
  result.made_with = parse_options(made.substr(result.type.size()));
  if (!result.made_with.empty() && !result.made_with.front().starts_with('-'))
    reject(name, "a volume", "expected TYPE, options of mkfs, and after a comma and a space mount options");
  if (comma != std::string_view::npos) result.mounted_with = split(name.substr(comma + 2), ',');
  return result;
}

std::span<const volume_kind> volume_kinds() noexcept { return kinds; }

const volume_kind* find_volume_kind(std::string_view type) noexcept {
  const auto at = std::ranges::find(kinds, type, &volume_kind::type);
  return at == kinds.end() ? nullptr : &*at;
}

std::string why_unavailable(const volume_kind& kind, const fs::path& proc, const fs::path& modules) {
  if (find_program(kind.program()).empty())
    return fmt::format("{} is not installed (package {})", kind.program(), kind.package);
  if (is_registered(kind.type, proc) || has_module(kind.type, modules)) return {};
  return fmt::format("this kernel has no {}", kind.type);
}

std::vector<std::string> mkfs_words(const volume& which, const std::string& device) {
  const volume_kind& kind = *find_volume_kind(which.type);
  const std::string program = find_program(kind.program());
  std::vector<std::string> words{program.empty() ? kind.program() : program};
  const auto add = [&](std::string_view options) {
    for (std::string& word : split(options, ' ')) words.push_back(std::move(word));
  };
  add(kind.always);
  for (const std::string& option : which.made_with) {
    // mke2fs takes only the last of several.
    const auto same = option.starts_with("-E ") ? std::ranges::find(words, "-E") : words.end();
    if (same == words.end())
      add(option);
    else
      *std::next(same) += "," + option.substr(3);
  }
  words.push_back(device);
  return words;
}

std::vector<std::string> commands_for(const volume& which, const std::string& device, const std::string& mount_point) {
  std::string make = find_volume_kind(which.type)->program();
  for (const std::string& option : which.made_with) make += " " + option;
  std::string mount = "mount -t " + which.type;
  if (!which.mounted_with.empty()) mount += fmt::format(" -o {}", fmt::join(which.mounted_with, ","));
  return {make + " " + device, mount + " " + device + " " + mount_point};
}

std::vector<std::string> drawbacks_of(const volume& which) {
  std::vector<std::string> prices;
  const volume_kind& kind = *find_volume_kind(which.type);
  const auto add = [&](std::span<const volume_option> known, const std::vector<std::string>& used) {
    for (const volume_option& each : known)
      if (!each.price.empty() && contains(used, each.text))
        prices.push_back(fmt::format("{}: {}", each.text, each.price));
  };
  add(kind.made, which.made_with);
  add(kind.mounted, which.mounted_with);
  return prices;
}

std::vector<volume> add_mkfs_option(const volume& which) {
  std::vector<volume> more;
  for (const volume_option& each : find_volume_kind(which.type)->made) {
    const std::string_view letter = each.text.substr(0, each.text.find(' '));
    const std::string_view key = each.text.substr(0, each.text.find('='));
    // "-n 4096" and "-n 65536" exclude one another; "-d agcount=4" and "-l size=64m" do not.
    const auto is_another_value = [&](const std::string& used) {
      return key == each.text && letter != "-O" && letter != "-m" ? used.starts_with(letter) : used.starts_with(key);
    };
    if (std::ranges::any_of(which.made_with, is_another_value)) continue;
    more.push_back(which);
    more.back().made_with.emplace_back(each.text);
  }
  return more;
}

std::vector<volume> with_more_mounted(const volume& which) {
  std::vector<volume> more;
  for (const volume_option& each : find_volume_kind(which.type)->mounted) {
    if (contains(which.mounted_with, each.text)) continue;
    more.push_back(which);
    more.back().mounted_with.emplace_back(each.text);
  }
  return more;
}

volume_preset parse_preset(std::string_view name) {
  if (name != "w4") reject(name, "a preset", "expected w4");
  return {.name = "w4",
          .volumes = {"ext2", "ext3", "ext4", "btrfs", "jfs", "reiserfs", "xfs",
                      "xfs -l size=64m -d agcount=4, noatime,nodiratime"},
          .methods = {"stdio", "aio", "buffered"},
          .remarks = {"published: mkfs.xfs -l size=32m -d agcount=4, mounted noatime,nodiratime,osyncisdsync",
                      "today mkfs.xfs makes no log below 64 MiB, so -l size=64m stands for it",
                      "osyncisdsync is no mount option any more: Linux does what it asked for since 2.6.33",
                      "the published figures were never synced to the disk; these are"}};
}

}  // namespace freshet::tool

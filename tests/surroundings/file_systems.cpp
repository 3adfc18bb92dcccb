// File systems that lack what others have, or fail.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "tests/support/mounted_image.hpp"
#include "tests/surroundings/fuse_directory.hpp"
#include "tests/surroundings/surroundings.hpp"

namespace freshet::test {
namespace {

using std::filesystem::path;

constexpr std::uint64_t MiB = 1 << 20;

path make_directory(const path& where) {
  std::filesystem::create_directories(where);
  return where;
}

made_surrounding make_image(const path& scratch, const std::string& type) {
  const auto mounted = std::make_shared<mounted_image>(scratch, type, 400 * MiB);
  if (!mounted->why_not().empty()) return {.why_not = type + ": " + mounted->why_not()};
  return {.directory = make_directory(mounted->path() / "place"), .kept = mounted};
}

bool succeeds(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

// A subvolume of btrfs that may hold so many bytes, beside a file system with space.
made_surrounding make_quota(const path& scratch, std::uint64_t most, data_fate fate) {
  made_surrounding made = make_image(scratch, "btrfs");
  if (!made.why_not.empty()) return made;
  const path root = made.directory.parent_path(), limited = root / "limited";
  if (!succeeds("btrfs quota enable " + root.string()) || !succeeds("btrfs subvolume create " + limited.string()) ||
      !succeeds("btrfs qgroup limit " + std::to_string(most) + ' ' + limited.string()))
    return {.why_not = "btrfs has no quota here"};
  made.directory = limited;
  made.fate = fate;
  // What was removed counts until the file system has committed that.
  made.enter = [directory = made.directory] {
    const int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return opened >= 0 && ::syncfs(opened) == 0 && ::close(opened) == 0;
  };
  return made;
}

struct poor_file_system {
  std::string name;
  fuse_setup setup;
  data_fate fate = data_fate::arrives;
  bool refuses_late = false;
};

std::vector<poor_file_system> poor_ones() {
  using enum fuse_operation;
  constexpr std::uint64_t some = 1'000'001;  // bytes that fit
  return {
      {"fuse", {}},
      {"fuse_without_links", {{{link, EPERM}}}},
      {"fuse_without_link_operation", {{{link, ENOSYS}}}},
      {"fuse_without_renameat2", {{{rename_with_flags, EINVAL}}}},
      {"fuse_without_fallocate", {{{fallocate, ENOSYS}}}},
      {"fuse_without_attributes", {{{attributes, EOPNOTSUPP}}}},
      {"fuse_without_modes", {{{chmod, EPERM}}}},
      {"fuse_without_owners", {{{chown, EPERM}}}},
      // Only a write tells.
      {"fuse_without_direct", {{{direct, EINVAL}}}, data_fate::arrives, true},
      {"fuse_without_locks", {{{lock, EOPNOTSUPP}}}},
      {"fuse_without_mappings", {.maps = false}},
      // Linux itself makes an EIO of a short write that a queue asked for.
      {"fuse_with_short_writes", {.maps = false, .longest_write = 40'961}, data_fate::may_fail},
      {"fuse_like_vfat",
       {{{link, EPERM}, {fallocate, EOPNOTSUPP}, {attributes, EOPNOTSUPP}, {chmod, EPERM}, {chown, EPERM}}}},
      {"fuse_with_ENOSPC_for_names",
       {{{link, ENOSPC}, {fuse_operation::rename, ENOSPC}, {rename_with_flags, ENOSPC}}},
       data_fate::may_fail},
      {"fuse_with_EIO_at_fsync", {{{fsync, EIO}}}, data_fate::may_fail},
      {"fuse_with_EIO_at_close", {{{flush, EIO}}}, data_fate::must_fail},
      {"fuse_with_EDQUOT_at_close", {{{flush, EDQUOT}}}, data_fate::must_fail},
      {"fuse_with_EIO", {{{write, EIO, some}}}, data_fate::must_fail},
      {"fuse_with_ENOSPC", {{{write, ENOSPC, some}}}, data_fate::must_fail},
      {"fuse_with_EDQUOT_and_no_mappings", {{{write, EDQUOT, some}}, false}, data_fate::must_fail},
  };
}

made_surrounding make_fuse(const path& scratch, const poor_file_system& wanted) {
  const path backing = make_directory(scratch / "backing"), mounted = make_directory(scratch / "mounted");
  const auto served = std::make_shared<fuse_directory>(backing, mounted, wanted.setup);
  if (!served->why_not().empty()) return {.why_not = served->why_not()};
  return {.directory = mounted, .kept = served, .fate = wanted.fate, .refuses_late = wanted.refuses_late};
}

}  // namespace

std::vector<surrounding> poor_file_systems() {
  std::vector<surrounding> all{
      {"overlay", [](const path& scratch) { return make_image(scratch, "overlay"); }},
      {"quota", [](const path& scratch) { return make_quota(scratch, 100 * MiB, data_fate::arrives); }},
      {"exceeded_quota", [](const path& scratch) { return make_quota(scratch, 1 * MiB, data_fate::must_fail); }},
  };
  for (const poor_file_system& each : poor_ones())
    all.push_back({each.name, [each](const path& scratch) { return make_fuse(scratch, each); }});
  return all;
}

}  // namespace freshet::test

// Surroundings in which less is to be seen, or to be called.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "tests/surroundings/container_filter.hpp"
#include "tests/surroundings/surroundings.hpp"

namespace freshet::test {
namespace {

using std::filesystem::path;

constexpr uid_t somebody = 1000;

path make_directory(const path& where) {
  std::filesystem::create_directories(where);
  return where;
}

// Puts what programs are linked with below `root`.
bool provide_libraries(const path& root) {
  for (const path from : {"/usr", "/lib", "/lib64"}) {
    const path here = root / from.relative_path();
    if (std::filesystem::is_symlink(from))
      std::filesystem::copy_symlink(from, here);
    else if (std::filesystem::exists(from) &&
             ::mount(from.c_str(), make_directory(here).c_str(), nullptr, MS_BIND, nullptr) != 0)
      return false;
  }
  return true;
}

// Neither /proc nor /sys nor /dev is there.
made_surrounding make_chroot(const path& scratch, bool is_of_nobody) {
  const path root = make_directory(scratch / "root");
  if (!provide_libraries(root)) return {.why_not = "mount: " + std::generic_category().message(errno)};
  return {.directory = make_directory(root / "place"),
          .inside = "/place",
          .enter = [root] { return ::chroot(root.c_str()) == 0 && ::chdir("/") == 0; },
          .is_of_nobody = is_of_nobody};
}

bool tell(const char* file, const std::string& text) { return (std::ofstream{file} << text << std::flush).good(); }

// This user is the namespace's root; all others are strangers, also the owner of the file that trials find.
made_surrounding make_user_namespace(const path& scratch) {
  const path place = make_directory(scratch / "place");
  const auto enter = [place] {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    const path file = place / "file";
    if (user == 0 && std::filesystem::exists(file) &&
        (::chown(file.c_str(), somebody, somebody) != 0 || ::chmod(file.c_str(), 0666) != 0))
      return false;
    return ::unshare(CLONE_NEWUSER) == 0 && tell("/proc/self/setgroups", "deny") &&
           tell("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
           tell("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  };
  return {.directory = place, .enter = enter};
}

made_surrounding make_container(const path& scratch, int error) {
  if (!std::filesystem::exists(container_filter_file))
    return {.why_not = "there is no " + container_filter_file.string() + " (golang-github-containers-common)"};
  const auto filter = container_filter(container_filter_file, error);
  return {.directory = make_directory(scratch / "place"), .enter = [filter] { return enter_container(filter); }};
}

// Younger than the headers of Debian 12's C library: mount_setattr(2).
struct mount_attributes {
  std::uint64_t set;
  std::uint64_t clear;
  std::uint64_t propagation;
  std::uint64_t user_namespace;
};

bool set_read_only(const path& where, bool is_read_only, unsigned flags) {
  constexpr std::uint64_t read_only = 1;  // MOUNT_ATTR_RDONLY
  mount_attributes wanted{is_read_only ? read_only : 0, is_read_only ? 0 : read_only, 0, 0};
  return ::syscall(SYS_mount_setattr, AT_FDCWD, where.c_str(), flags, &wanted, sizeof wanted) == 0;
}

made_surrounding make_read_only_root(const path& scratch) {
  constexpr unsigned recursive = 0x8000;  // AT_RECURSIVE
  const path place = make_directory(scratch / "writable" / "place").parent_path();
  if (::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0 || !set_read_only("/", true, recursive) ||
      !set_read_only(place, false, 0))
    return {.why_not = "mount_setattr: " + std::generic_category().message(errno)};
  return {.directory = place / "place", .home = scratch / "home"};
}

}  // namespace

std::vector<surrounding> confined_surroundings() {
  return {
      {"chroot", [](const path& scratch) { return make_chroot(scratch, false); }},
      {"chroot_of_nobody", [](const path& scratch) { return make_chroot(scratch, true); }},
      {"user_namespace", make_user_namespace, false},
      {"container_EPERM", [](const path& scratch) { return make_container(scratch, EPERM); }, false},
      {"container_ENOSYS", [](const path& scratch) { return make_container(scratch, ENOSYS); }, false},
      {"read_only_root", make_read_only_root},
  };
}

}  // namespace freshet::test

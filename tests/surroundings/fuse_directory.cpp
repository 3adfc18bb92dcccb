#define FUSE_USE_VERSION 35
#include "tests/surroundings/fuse_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace freshet::test {
namespace {

using enum fuse_operation;

struct served {
  std::filesystem::path backing;
  fuse_setup setup;
};

const served& serving() { return *static_cast<const served*>(fuse_get_context()->private_data); }

// Paths of FUSE begin with a slash.
std::string backed(const char* path) { return serving().backing.string() + path; }

int descriptor_of(const fuse_file_info* open) { return static_cast<int>(open->fh); }

// What FUSE takes for an answer: a negative errno for a failure.
int answer(ssize_t result) { return result < 0 ? -errno : static_cast<int>(result); }

const fuse_refusal* find_refusal(fuse_operation operation) {
  const auto& all = serving().setup.refusals;
  const auto found = std::ranges::find(all, operation, &fuse_refusal::operation);
  return found == all.end() ? nullptr : &*found;
}

// The answer of a refused operation, or 0.
int refusal_of(fuse_operation operation) {
  const fuse_refusal* const found = find_refusal(operation);
  return found == nullptr ? 0 : -found->error;
}

template <typename Call>
int unless_refused(fuse_operation operation, Call call) {
  if (const int refusal = refusal_of(operation); refusal != 0) return refusal;
  return answer(call());
}

int get_attributes(const char* path, struct stat* found, fuse_file_info* open) {
  return answer(open != nullptr ? ::fstat(descriptor_of(open), found) : ::lstat(backed(path).c_str(), found));
}

int read_link(const char* path, char* text, std::size_t size) {
  const ssize_t length = ::readlink(backed(path).c_str(), text, size - 1);
  if (length >= 0) text[length] = '\0';
  return length < 0 ? -errno : 0;
}

int open_directory(const char* path, fuse_file_info* open) {
  DIR* const listing = ::opendir(backed(path).c_str());
  open->fh = reinterpret_cast<std::uint64_t>(listing);
  return listing == nullptr ? -errno : 0;
}

// FUSE passes no path of what is open (nullpath_ok).
int read_directory(const char*, void* entries, fuse_fill_dir_t fill, off_t, fuse_file_info* open, fuse_readdir_flags) {
  DIR* const listing = reinterpret_cast<DIR*>(open->fh);
  ::rewinddir(listing);
  while (const dirent* const entry = ::readdir(listing))
    fill(entries, entry->d_name, nullptr, 0, fuse_fill_dir_flags{});
  return 0;
}

int close_directory(const char*, fuse_file_info* open) { return answer(::closedir(reinterpret_cast<DIR*>(open->fh))); }

int make_directory(const char* path, mode_t mode) { return answer(::mkdir(backed(path).c_str(), mode)); }
int make_link(const char* target, const char* path) { return answer(::symlink(target, backed(path).c_str())); }
int remove_file(const char* path) { return answer(::unlink(backed(path).c_str())); }
int remove_directory(const char* path) { return answer(::rmdir(backed(path).c_str())); }

int rename_file(const char* from, const char* to, unsigned flags) {
  return unless_refused(flags == 0 ? fuse_operation::rename : rename_with_flags, [&] {
    return ::renameat2(AT_FDCWD, backed(from).c_str(), AT_FDCWD, backed(to).c_str(), flags);
  });
}

int link_file(const char* from, const char* to) {
  return unless_refused(link, [&] { return ::link(backed(from).c_str(), backed(to).c_str()); });
}

int change_mode(const char* path, mode_t mode, fuse_file_info*) {
  return unless_refused(chmod, [&] { return ::chmod(backed(path).c_str(), mode); });
}

int change_owner(const char* path, uid_t user, gid_t group, fuse_file_info*) {
  return unless_refused(chown, [&] { return ::lchown(backed(path).c_str(), user, group); });
}

int change_size(const char* path, off_t size, fuse_file_info* open) {
  return answer(open != nullptr ? ::ftruncate(descriptor_of(open), size) : ::truncate(backed(path).c_str(), size));
}

int change_times(const char* path, const timespec times[2], fuse_file_info*) {
  return answer(::utimensat(AT_FDCWD, backed(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}

// The kernel itself appends, and bypasses its own cache only.
int open_backed(const char* path, fuse_file_info* open, int more_flags, mode_t mode) {
  int flags = (open->flags & ~(O_APPEND | O_DIRECT | O_NOFOLLOW)) | more_flags | O_CLOEXEC;
  if ((flags & O_ACCMODE) == O_WRONLY)
    flags = (flags & ~O_ACCMODE) | O_RDWR;  // a page is read before a part is written
  const int descriptor = ::open(backed(path).c_str(), flags, mode);
  if (descriptor < 0) return -errno;
  open->fh = static_cast<std::uint64_t>(descriptor);
  return 0;
}

int open_file(const char* path, fuse_file_info* open) { return open_backed(path, open, 0, 0); }

int create_file(const char* path, mode_t mode, fuse_file_info* open) {
  const int refused = open_backed(path, open, O_CREAT, mode);
  const fuse_context* const caller = fuse_get_context();
  return refused != 0 ? refused : answer(::fchown(descriptor_of(open), caller->uid, caller->gid));
}

int read_file(const char*, char* into, std::size_t size, off_t offset, fuse_file_info* open) {
  const int refusal = (open->flags & O_DIRECT) != 0 ? refusal_of(direct) : 0;
  return refusal != 0 ? refusal : answer(::pread(descriptor_of(open), into, size, offset));
}

int write_file(const char*, const char* bytes, std::size_t size, off_t offset, fuse_file_info* open) {
  const int refusal = (open->flags & O_DIRECT) != 0 ? refusal_of(direct) : 0;
  if (refusal != 0) return refusal;
  if (const std::size_t most = serving().setup.longest_write; most != 0) size = std::min(size, most);
  // What fits is written; the next call is refused.
  if (const fuse_refusal* const full = find_refusal(write)) {
    const auto begin = static_cast<std::uint64_t>(offset);
    if (begin >= full->from) return -full->error;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, full->from - begin));
  }
  return answer(::pwrite(descriptor_of(open), bytes, size, offset));
}

int flush_file(const char*, fuse_file_info*) { return refusal_of(flush); }

int release_file(const char*, fuse_file_info* open) { return answer(::close(descriptor_of(open))); }

int sync_file(const char*, int only_data, fuse_file_info* open) {
  return unless_refused(
      fsync, [&] { return only_data != 0 ? ::fdatasync(descriptor_of(open)) : ::fsync(descriptor_of(open)); });
}

int lock_file(const char*, fuse_file_info* open, int kind) {
  return unless_refused(lock, [&] { return ::flock(descriptor_of(open), kind); });
}

int allocate(const char*, int mode, off_t offset, off_t length, fuse_file_info* open) {
  return unless_refused(fallocate, [&] { return ::fallocate(descriptor_of(open), mode, offset, length); });
}

int describe_space(const char*, struct statvfs* space) { return answer(::statvfs(serving().backing.c_str(), space)); }

int set_attribute(const char* path, const char* name, const char* value, std::size_t size, int flags) {
  return unless_refused(attributes, [&] { return ::lsetxattr(backed(path).c_str(), name, value, size, flags); });
}
int get_attribute(const char* path, const char* name, char* value, std::size_t size) {
  return unless_refused(attributes, [&] { return ::lgetxattr(backed(path).c_str(), name, value, size); });
}
int list_attributes(const char* path, char* names, std::size_t size) {
  return unless_refused(attributes, [&] { return ::llistxattr(backed(path).c_str(), names, size); });
}
int remove_attribute(const char* path, const char* name) {
  return unless_refused(attributes, [&] { return ::lremovexattr(backed(path).c_str(), name); });
}

void* start(fuse_conn_info*, fuse_config* config) {
  config->use_ino = 1;
  config->nullpath_ok = 1;
  config->hard_remove = 1;  // otherwise libfuse renames what is open
  config->direct_io = serving().setup.maps ? 0 : 1;
  return fuse_get_context()->private_data;
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = start;
  all.getattr = get_attributes;
  all.readlink = read_link;
  all.opendir = open_directory;
  all.readdir = read_directory;
  all.releasedir = close_directory;
  all.mkdir = make_directory;
  all.symlink = make_link;
  all.unlink = remove_file;
  all.rmdir = remove_directory;
  all.rename = rename_file;
  all.link = link_file;
  all.chmod = change_mode;
  all.chown = change_owner;
  all.truncate = change_size;
  all.utimens = change_times;
  all.open = open_file;
  all.create = create_file;
  all.read = read_file;
  all.write = write_file;
  all.flush = flush_file;
  all.release = release_file;
  all.fsync = sync_file;
  all.flock = lock_file;
  all.fallocate = allocate;
  all.statfs = describe_space;
  all.setxattr = set_attribute;
  all.getxattr = get_attribute;
  all.listxattr = list_attributes;
  all.removexattr = remove_attribute;
  return all;
}

// Serves until the file system is unmounted, or the process ended. Says by `ready` once it is mounted.
int serve(const served& what, const std::filesystem::path& mount_point, int ready) {
  std::string name = "freshet-test";
  std::array words{name.data()};
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(words.size()), words.data());
  const fuse_operations known = operations();
  ::umask(0);
  fuse* const server = fuse_new(&arguments, &known, sizeof known, const_cast<served*>(&what));
  if (server == nullptr || fuse_mount(server, mount_point.c_str()) != 0) return 1;
  if (::write(ready, "", 1) != 1) return 1;
  ::close(ready);
  return fuse_loop(server);
}

}  // namespace

fuse_directory::fuse_directory(const std::filesystem::path& backing, const std::filesystem::path& mount_point,
                               const fuse_setup& setup)
    : mount_point_{mount_point} {
  std::array<int, 2> ready{};
  if (::access("/dev/fuse", R_OK | W_OK) != 0 || ::pipe2(ready.data(), O_CLOEXEC) != 0) {
    why_not_ = "there is no /dev/fuse, or no right to it";
    return;
  }
  const served what{backing, setup};
  server_ = ::fork();
  if (server_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ready[0]);
    ::_exit(serve(what, mount_point_, ready[1]));
  }
  ::close(ready[1]);
  char sign = 0;
  if (::read(ready[0], &sign, 1) != 1) why_not_ = "FUSE cannot be mounted";
  ::close(ready[0]);
}

fuse_directory::~fuse_directory() {
  if (why_not_.empty()) ::umount2(mount_point_.c_str(), MNT_DETACH);
  if (server_ > 0) {
    ::kill(server_, SIGKILL);
    ::waitpid(server_, nullptr, 0);
  }
}

}  // namespace freshet::test

// The system calls behind each kind of the library's seam, on Linux. A test holds the list to what the library's tests
// make, so a call that is new to the library is tried where systems refuse it, too.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "older_calls.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/refused_call.hpp"

namespace freshet::test {

/// What becomes of a program where a call is refused.
enum class effect : std::uint8_t {
  is_answered,   ///< the library goes on without it, or tells of it
  no_memory,     ///< there is none to be had, which every call may report
  ends_program,  ///< by the C library
};

/// One use of a system call that the library makes.
struct seam_call {
  std::optional<detail::os::call> kind;  ///< empty: made beside the seam, for memory, threads and the like
  system_call call;
  std::vector<int> errors = {};  ///< that its manual page names, beyond those of every refusal
  effect without = effect::is_answered;
};

/// How sandboxes, container runtimes, old kernels and file systems refuse any call.
inline const std::vector<int> usual_refusals{EPERM, ENOSYS, EINVAL, EOPNOTSUPP, EACCES};

namespace seam {

[[nodiscard]] constexpr argument_test has_flags(unsigned argument, unsigned flags) { return {argument, flags, flags}; }

inline constexpr argument_test opens_directory{2, O_TMPFILE, O_DIRECTORY};
inline constexpr argument_test maps_shared{3, MAP_TYPE, MAP_SHARED};
inline constexpr argument_test maps_private{3, MAP_TYPE, MAP_PRIVATE};
inline constexpr unsigned dontcache = 0x80;  // RWF_DONTCACHE, younger than the headers of Debian 12
inline constexpr long cachestat = 451;       // likewise

}  // namespace seam

/// All of them, but for what starts and ends every program.
[[nodiscard]] inline std::vector<seam_call> seam_calls() {
  using namespace seam;
  using enum detail::os::call;
  std::vector<seam_call> all{
      {open, {SYS_openat, "openat"}, {EMFILE, ENFILE, ENOMEM}},
      {open, {SYS_openat, "openat(O_TMPFILE)", {has_flags(2, O_TMPFILE)}}, {ENOENT, EISDIR, ENOSPC}},
      {open, {SYS_openat, "openat(O_DSYNC)", {has_flags(2, O_DSYNC)}}},
      {open, {SYS_openat, "openat(O_PATH)", {has_flags(2, O_PATH)}}},
      {open, {SYS_memfd_create, "memfd_create"}, {EMFILE, ENOMEM}},
      {open_directory, {SYS_openat, "openat(O_DIRECTORY)", {opens_directory}}, {EMFILE}},
      {close, {SYS_close, "close"}, {EIO, ENOSPC, EDQUOT}},
      {write, {SYS_write, "write"}, {EIO, ENOSPC, EDQUOT, EFBIG}},
      {write, {SYS_writev, "writev"}, {EIO, ENOSPC, EDQUOT, EFBIG}},
      {write_at, {SYS_pwrite64, "pwrite64"}, {EIO, ENOSPC, EDQUOT, EFBIG, ESPIPE}},
      {write_dontcache,
       {SYS_pwritev2, "pwritev2(RWF_DONTCACHE)", {has_flags(5, dontcache)}},
       {EIO, ENOSPC, EDQUOT, EFBIG}},
      {read, {SYS_read, "read"}, {EIO}},
      {read_at, {SYS_pread64, "pread64"}, {EIO}},
      {seek, {SYS_lseek, "lseek"}, {ESPIPE}},
      {preallocate, {SYS_fallocate, "fallocate"}, {ENOSPC, EIO, ENODEV}},
      {free_preallocation, {SYS_ftruncate, "ftruncate"}, {EIO}},
      {set_size, {SYS_ftruncate, "ftruncate"}, {EIO, EFBIG}},
      {sync_data, {SYS_fdatasync, "fdatasync"}, {EIO, ENOSPC, EDQUOT}},
      {sync_file, {SYS_fsync, "fsync"}, {EIO, ENOSPC, EDQUOT}},
      {sync_file, {SYS_syncfs, "syncfs"}, {EIO}},
      {sync_directory, {SYS_fsync, "fsync"}, {EIO, ENOSPC, EDQUOT}},
      {start_writeback, {SYS_sync_file_range, "sync_file_range"}, {EIO, ENOSPC}},
      {wait_writeback, {SYS_sync_file_range, "sync_file_range"}},
      {advise, {SYS_fadvise64, "fadvise64"}},
      {map, {SYS_mmap, "mmap(MAP_SHARED)", {maps_shared}}, {ENODEV, ENOMEM}},
      {sync_map, {SYS_msync, "msync"}, {EIO, ENOMEM}},
      {set_direct, {SYS_fcntl, "fcntl(F_SETFL, O_DIRECT)", {{1, ~0U, F_SETFL}, has_flags(2, O_DIRECT)}}},
      {set_direct, {SYS_fcntl, "fcntl(F_SETFL)", {{1, ~0U, F_SETFL}}}},
      {set_direct, {SYS_fcntl, "fcntl(F_GETFL)", {{1, ~0U, F_GETFL}}}},
      {set_attributes, {SYS_fchown, "fchown"}, {EROFS, EIO}},
      {set_attributes, {SYS_fchmod, "fchmod"}, {EROFS, EIO}},
      {set_attributes, {SYS_fsetxattr, "fsetxattr"}, {ENOSPC, EDQUOT}},
      {set_attributes, {SYS_fremovexattr, "fremovexattr"}, {ENODATA}},
      {status, {SYS_newfstatat, "newfstatat"}, {EOVERFLOW, ENOMEM}},
      {status, {SYS_statx, "statx"}, {ENOMEM}},
      {status, {SYS_faccessat, "faccessat"}},
      {status, {SYS_faccessat2, "faccessat2"}},
      {status, {SYS_ioctl, "ioctl"}, {ENOTTY}},
      {status, {cachestat, "cachestat"}},
      {status, {SYS_mincore, "mincore"}, {ENOMEM}},
      {status, {SYS_fstatfs, "fstatfs"}, {EIO}},
      {status, {SYS_statfs, "statfs"}, {EIO}},
      {status, {SYS_listxattr, "listxattr"}},
      {status, {SYS_getxattr, "getxattr"}, {ENODATA}},
      {status, {SYS_fgetxattr, "fgetxattr"}, {ENODATA}},
      {link, {SYS_linkat, "linkat"}, {EMLINK, ENOENT, EXDEV, ENOSPC}},
      {rename, {SYS_renameat, "renameat"}, {EBUSY, ENOSPC, EXDEV, EIO}},
      {rename, {SYS_renameat2, "renameat2"}, {EBUSY, ENOSPC, EXDEV, EIO}},
      {remove, {SYS_unlinkat, "unlinkat"}, {EBUSY, EIO, EROFS}},
      {lock, {SYS_flock, "flock"}, {ENOLCK}},
      {duplicate, {SYS_dup3, "dup3"}, {EBUSY, EMFILE}},
      {queue_setup, {SYS_io_uring_setup, "io_uring_setup"}, {ENOMEM, EMFILE}},
      {queue_setup, {SYS_io_setup, "io_setup"}, {EAGAIN, ENOMEM}},
      {register_buffers, {SYS_io_uring_register, "io_uring_register"}, {ENOMEM, EBUSY}},
      {register_file, {SYS_io_uring_register, "io_uring_register"}, {EMFILE}},
      {submit_write, {SYS_io_submit, "io_submit"}, {EAGAIN}},
      {submit_read, {SYS_io_uring_enter, "io_uring_enter"}, {EAGAIN, EBUSY}},
      {submit, {SYS_io_uring_enter, "io_uring_enter"}, {EAGAIN, EBUSY}},
      {submit, {SYS_io_submit, "io_submit"}, {EAGAIN}},
      {wait, {SYS_io_getevents, "io_getevents"}},
      {{}, {SYS_io_destroy, "io_destroy"}},
      {wait, {SYS_io_uring_enter, "io_uring_enter"}},
      // Memory.
      {{}, {SYS_mmap, "mmap(MAP_PRIVATE)", {maps_private}}, {ENOMEM}, effect::no_memory},
      {{}, {SYS_mremap, "mremap"}, {ENOMEM, EAGAIN}},
      {{}, {SYS_madvise, "madvise"}, {EAGAIN, ENOMEM}},
      {{}, {SYS_munmap, "munmap"}, {ENOMEM}},
      {{}, {SYS_mprotect, "mprotect"}, {ENOMEM}},
      {{}, {SYS_brk, "brk"}, {ENOMEM}},
      // Threads and processes, of the C library's aio, of compression and of each_line.
      {{}, {SYS_clone3, "clone3"}, {EAGAIN, ENOMEM}},
      {{}, {SYS_clone, "clone"}, {EAGAIN, ENOMEM}},
      {{}, {SYS_futex, "futex"}, {}, effect::ends_program},
      {{}, {SYS_membarrier, "membarrier"}},
      {{}, {SYS_rseq, "rseq"}, {}, effect::ends_program},
      {{}, {SYS_set_robust_list, "set_robust_list"}},
      {{}, {SYS_sched_yield, "sched_yield"}},
      {{}, {SYS_sched_getaffinity, "sched_getaffinity"}},
      {{}, {SYS_sched_getparam, "sched_getparam"}},
      {{}, {SYS_sched_getscheduler, "sched_getscheduler"}},
      {{}, {SYS_rt_sigprocmask, "rt_sigprocmask"}},
      {{}, {SYS_rt_sigaction, "rt_sigaction"}},
      {{}, {SYS_clock_nanosleep, "clock_nanosleep"}},
      {{}, {SYS_clock_gettime, "clock_gettime"}},
      // What the library asks of the process and the machine.
      {{}, {SYS_uname, "uname"}},
      {{}, {SYS_geteuid, "geteuid"}},
      {{}, {SYS_getegid, "getegid"}},
      {{}, {SYS_getuid, "getuid"}},
      {{}, {SYS_getgid, "getgid"}},
      {{}, {SYS_getpid, "getpid"}},
      {{}, {SYS_gettid, "gettid"}},
      {{}, {SYS_getrusage, "getrusage"}},
      {{}, {SYS_getrandom, "getrandom"}, {EAGAIN}},
      {{}, {SYS_prlimit64, "prlimit64"}},
      {{}, {SYS_sysinfo, "sysinfo"}},
      {{}, {SYS_getcwd, "getcwd"}, {ENOENT}},
      // Names: of directories' entries, and of what links lead to.
      {{}, {SYS_getdents64, "getdents64"}, {ENOENT}},
      {{}, {SYS_readlinkat, "readlinkat"}, {ENOENT}},
      {{}, {SYS_mkdirat, "mkdirat"}, {ENOSPC}},
  };
  for (const older_call& each : older_calls) all.push_back({each.kind, {each.number, each.name}});
  return all;
}

}  // namespace freshet::test

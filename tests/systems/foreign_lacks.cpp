// What an emulator, or another C or C++ library, does not do that the kernel and glibc's and GCC's do: foreign_lacks
// prints a word for each. It knows nothing of the library.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <streambuf>
#include <string>

namespace {

void say_unless(bool is_there, const char* word) {
  if (!is_there) std::puts(word);
}

// Whether the call is known: it fails for another reason than that.
bool is_known(long number) { return ::syscall(number, -1L, 0L, 0L, 0L, 0L, 0L) >= 0 || errno != ENOSYS; }

// FS_IOC_GETFSUUID, Linux 6.9.
bool tells_uuids() {
  std::array<std::uint8_t, 17> answer{};
  const int root = ::open("/", O_RDONLY | O_DIRECTORY);
  // 0x15, 0, of 17 bytes, to be read.
  const bool is_told = ::ioctl(root, _IOR(0x15, 0, decltype(answer)), answer.data()) == 0;
  ::close(root);
  return is_told;
}

// STATX_MNT_ID and STATX_DIOALIGN, whose answers lie from byte 0x90 on. A mask without them is an honest answer.
bool fills_in_statx() {
  struct {
    std::uint32_t mask;
    std::uint32_t unread_start[35];
    std::uint64_t mount_id;
    std::uint64_t unread_end[13];
  } answer{};
  static_assert(sizeof answer == 0x100);
  if (::syscall(SYS_statx, AT_FDCWD, "/", 0, 0x1000U, &answer) != 0) return false;
  return (answer.mask & 0x1000U) == 0 || answer.mount_id != 0;
}

bool limits_memory() {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit little{64U << 20, 64U << 20};
    ::setrlimit(RLIMIT_AS, &little);
    const void* memory = ::mmap(nullptr, 256U << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::_exit(memory == MAP_FAILED ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

// As a shell does it, which an emulator that the kernel does not know of has no part in.
bool starts_programs(const char* program) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", "exec \"$0\" started 2>/dev/null", program, nullptr);
    ::_exit(1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

// It has no size, as the kernel makes its text when it is read.
bool has_files_of_the_kernel() {
  struct stat entry {};
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const bool has_no_size = ::fstat(file, &entry) == 0 && entry.st_size == 0;
  ::close(file);
  return has_no_size;
}

// As libstdc++ does, where the standard lets a buffer say that it does not know.
bool counts_what_a_pipe_holds() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0 || ::write(ends[1], "six", 3) != 3) return false;
  std::ifstream in{"/proc/self/fd/" + std::to_string(ends[0])};
  const bool is_counted = in.rdbuf()->in_avail() == 3;
  ::close(ends[0]);
  ::close(ends[1]);
  return is_counted;
}

class failing_buffer : public std::streambuf {
  int_type underflow() override { throw std::runtime_error{"no characters"}; }
};

// As the standard has it of all that an input function does: such an exception sets badbit.
bool catches_while_skipping_white_space() try {
  failing_buffer buffer;
  std::istream in{&buffer};
  char character = 0;
  in >> character;
  return in.bad();
} catch (const std::runtime_error&) {
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) return 0;  // started by itself
  say_unless(tells_uuids(), "ioctl");
  say_unless(fills_in_statx(), "statx");
  say_unless(limits_memory(), "memory-limit");
  say_unless(starts_programs(words[0]), "start");
  say_unless(has_files_of_the_kernel(), "proc");
  say_unless(is_known(451), "cachestat");  // Linux 6.5
  say_unless(is_known(SYS_io_uring_setup), "io_uring");
  say_unless(is_known(SYS_io_setup), "aio");
  say_unless(counts_what_a_pipe_holds(), "libstdc++");
  say_unless(catches_while_skipping_white_space(), "sentry");
}

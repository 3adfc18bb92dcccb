#include "tests/systems/macos/fake/calls.hpp"

#include <copyfile.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/attr.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>

#undef fcntl
#undef fsync

namespace fake_macos {

std::vector<std::string> system_state::names() const {
  std::vector<std::string> result;
  for (const made_call& each : calls) result.push_back(each.name);
  return result;
}

system_state& state() {
  static system_state only;
  return only;
}

namespace {

// Records the call, and answers as the test wants the next one of that name to end.
int answer(const made_call& made) {
  state().calls.push_back(made);
  auto& errors = state().errors[made.name];
  if (errors.empty()) return 0;
  const int number = errors.front();
  errors.erase(errors.begin());
  if (number == 0) return 0;
  errno = number;
  return -1;
}

int answer_allocation(int descriptor, fstore_t& space) {
  const int result = answer({.name = "F_PREALLOCATE",
                             .descriptor = descriptor,
                             .offset = space.fst_offset,
                             .length = space.fst_length,
                             .flags = space.fst_flags,
                             .mode = space.fst_posmode});
  space.fst_bytesalloc = result < 0 ? 0 : space.fst_length;
  return result;
}

}  // namespace
}  // namespace fake_macos

using fake_macos::answer;
using fake_macos::state;

int fake_fcntl(int descriptor, int command, ...) {
  std::va_list rest;
  va_start(rest, command);
  void* const memory = va_arg(rest, void*);  // an int is passed in the same place
  va_end(rest);
  const auto number = static_cast<int>(reinterpret_cast<std::intptr_t>(memory));
  switch (command) {
    case F_PREALLOCATE:
      return fake_macos::answer_allocation(descriptor, *static_cast<fstore_t*>(memory));
    case F_RDADVISE: {
      const auto& part = *static_cast<const radvisory*>(memory);
      return answer(
          {.name = "F_RDADVISE", .descriptor = descriptor, .offset = part.ra_offset, .length = part.ra_count});
    }
    case F_RDAHEAD:
      return answer({.name = "F_RDAHEAD", .descriptor = descriptor, .argument = number});
    case F_NOCACHE:
      return answer({.name = "F_NOCACHE", .descriptor = descriptor, .argument = number});
    case F_FULLFSYNC:
      return answer({.name = "F_FULLFSYNC", .descriptor = descriptor});
    case F_GETPATH:
      std::strcpy(static_cast<char*>(memory), state().path.c_str());
      return answer({.name = "F_GETPATH", .descriptor = descriptor});
    default:
      return ::fcntl(descriptor, command, memory);
  }
}

int fake_fsync(int descriptor) { return answer({.name = "fsync", .descriptor = descriptor}); }

int fsync_volume_np(int descriptor, int flags) {
  return answer({.name = "fsync_volume_np", .descriptor = descriptor, .argument = flags});
}

int fake_mincore(const void* /*memory*/, size_t length, char* pages) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < (length + page - 1) / page; ++i) pages[i] = state().page(i);
  return answer({.name = "mincore", .length = static_cast<long long>(length)});
}

int fcopyfile(int from, int to, void* /*state*/, unsigned int flags) {
  return answer({.name = "fcopyfile", .descriptor = from, .argument = to, .flags = flags});
}

int fake_fstatfs(int descriptor, struct statfs* mount) {
  mount->f_flags = state().mount_flags;
  std::strcpy(mount->f_fstypename, state().type.c_str());
  std::strcpy(mount->f_mntfromname, state().device.c_str());
  return answer({.name = "fstatfs", .descriptor = descriptor});
}

// Answers with the length of the answer, and the numbers from 0 to 15.
int fgetattrlist(int descriptor, void* wanted, void* memory, size_t size, unsigned int options) {
  const auto& list = *static_cast<const attrlist*>(wanted);
  std::vector<unsigned char> value(std::max(size, sizeof state().identity_length));
  std::memcpy(value.data(), &state().identity_length, sizeof state().identity_length);
  for (std::size_t i = sizeof state().identity_length; i < value.size(); ++i)
    value[i] = static_cast<unsigned char>((i - sizeof state().identity_length) * 17);
  std::memcpy(memory, value.data(), size);
  return answer({.name = "fgetattrlist",
                 .descriptor = descriptor,
                 .argument = options,
                 .length = static_cast<long long>(size),
                 .flags = list.volattr,
                 .mode = list.bitmapcount});
}

void uuid_unparse_lower(const uuid_t uuid, uuid_string_t text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < sizeof(uuid_t); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    text[at++] = "0123456789abcdef"[uuid[i] >> 4U];
    text[at++] = "0123456789abcdef"[uuid[i] & 15U];
  }
  text[at] = '\0';
}

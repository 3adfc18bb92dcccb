// The few calls of POSIX that tests of the library make, by what Windows' C library has. Included before all else in
// each of them (-include).
#pragma once

#ifdef __cplusplus

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include <filesystem>
#include <random>
#include <string>
#include <system_error>

inline int setenv(const char* name, const char* value, int /*overwrite*/) { return ::_putenv_s(name, value); }
inline int unsetenv(const char* name) { return ::_putenv_s(name, ""); }

// The tests compare files byte by byte with those of the standard streams, which would write two bytes for each line's
// end.
inline const bool standard_streams_are_binary = (_fmode = _O_BINARY, true);

#define O_CLOEXEC _O_NOINHERIT

// What takes the text of a path.
inline int open(const wchar_t* path, int flags, int mode = 0) { return ::_wopen(path, flags | _O_BINARY, mode); }
inline int mkfifo(const wchar_t* /*path*/, int /*mode*/) {
  errno = ENOSYS;
  return -1;
}

enum file_control : int { F_GETFL, F_SETFL, O_NONBLOCK };
inline int fcntl(int /*descriptor*/, file_control /*command*/, int /*flags*/ = 0) {
  errno = ENOSYS;
  return -1;
}

/// Replaces the last six characters of `name` by others, and makes a directory of that name.
inline char* mkdtemp(char* name) {
  constexpr unsigned attempts = 100;
  std::random_device random;
  for (unsigned i = 0; i < attempts; ++i) {
    const std::string number = std::to_string(100'000 + random() % 900'000);
    ::memcpy(name + ::strlen(name) - number.size(), number.data(), number.size());
    std::error_code error;
    if (std::filesystem::create_directory(name, error)) return name;
  }
  errno = EEXIST;
  return nullptr;
}

#endif

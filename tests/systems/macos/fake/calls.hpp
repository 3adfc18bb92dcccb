// The calls of macOS that Linux lacks, or has in another form: recorded, and answered as a test wants them to be.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake_macos {

/// One call with what it was passed.
struct made_call {
  std::string name;  ///< that of the function; for fcntl() that of its command
  int descriptor = -1;
  long long argument = 0;  ///< a number, or the length of the memory
  long long offset = 0;
  long long length = 0;
  unsigned flags = 0;
  int mode = 0;

  friend bool operator==(const made_call&, const made_call&) = default;
};

/// All calls since the last forget_calls(), and how they end.
struct system_state {
  std::vector<made_call> calls;
  std::map<std::string, std::vector<int>> errors;  ///< by name: the errors of the next calls; 0 for one that succeeds
  std::string path;                                ///< F_GETPATH
  std::string type = "apfs";                       ///< fstatfs
  std::string device = "/dev/disk3s1";
  unsigned mount_flags = 0;
  unsigned identity_length = 20;                                               ///< of what fgetattrlist answers
  std::function<char(std::size_t)> page = [](std::size_t) { return char{}; };  ///< mincore, by the page's number

  [[nodiscard]] std::vector<std::string> names() const;
};

system_state& state();

}  // namespace fake_macos

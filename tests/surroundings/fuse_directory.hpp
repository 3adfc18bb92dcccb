// A file system of the tests' own, over FUSE: what it holds lies in a directory. It lacks what it is told to lack.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace freshet::test {

/// What a fuse_directory can refuse. `flush` is what close() calls. O_TMPFILE is always missing: libfuse 3.14 has no
/// such operation.
enum class fuse_operation : std::uint8_t {
  link,
  rename,
  rename_with_flags,  ///< renameat2(2)
  fallocate,
  attributes,  ///< extended ones
  chmod,
  chown,
  direct,  ///< writes and reads with O_DIRECT; the flag itself the kernel takes
  lock,
  fsync,
  flush,
  write,
};

/// A call that fails with `error`, an errno; a write only of bytes from the offset `from` on.
struct fuse_refusal {
  fuse_operation operation;
  int error;
  std::uint64_t from = 0;
};

struct fuse_setup {
  std::vector<fuse_refusal> refusals = {};
  bool maps = true;               ///< whether files can be mapped to be shared (mmap)
  std::size_t longest_write = 0;  ///< of one call, which then writes less than asked; 0: no limit. Needs `maps` false
};

/// Serves a file system while it exists. The process that serves it ends with the one that made it, and with it the
/// mount, if that is in a namespace of its own.
class fuse_directory {
 public:
  /// Mounts at `mount_point` what `backing` has.
  fuse_directory(const std::filesystem::path& backing, const std::filesystem::path& mount_point,
                 const fuse_setup& setup);
  fuse_directory(const fuse_directory&) = delete;
  fuse_directory& operator=(const fuse_directory&) = delete;
  ~fuse_directory();

  /// Explains why it is not mounted; empty if it is.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  std::filesystem::path mount_point_;
  std::string why_not_;
  [[maybe_unused]] pid_t server_ = -1;  // where there is no libfuse
};

}  // namespace freshet::test

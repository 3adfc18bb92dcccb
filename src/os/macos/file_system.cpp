// How file systems are known again on macOS: f_fsid changes when the system starts, the identity of a volume does not.
#include <sys/attr.h>
#include <sys/mount.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include <string_view>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

struct volume_identity {
  std::uint32_t length;  // of this answer
  ::uuid_t uuid;
};

struct statfs ask_mount(const file& inside, std::error_code& error) noexcept {
  struct statfs mount {};
  make_call({call::status, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fstatfs(inside.descriptor(), &mount); });
  return mount;
}

}  // namespace

std::string file_system_key(const file& inside) {
  struct attrlist wanted {};
  wanted.bitmapcount = ATTR_BIT_MAP_COUNT;
  wanted.volattr = ATTR_VOL_INFO | ATTR_VOL_UUID;
  volume_identity answer{};
  std::error_code error;
  make_call({call::status, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fgetattrlist(inside.descriptor(), &wanted, &answer, sizeof answer, 0); });
  if (!error && answer.length == sizeof answer) {
    ::uuid_string_t text;
    ::uuid_unparse_lower(answer.uuid, text);
    return std::string{"uuid:"} + text;
  }
  const struct statfs mount = ask_mount(inside, error);
  return error ? std::string{} : std::string{mount.f_fstypename} + ':' + mount.f_mntfromname;
}

std::string file_system_type(const file& inside) {
  std::error_code error;
  return ask_mount(inside, error).f_fstypename;
}

bool names_file_system(std::uint64_t /*device*/) noexcept { return true; }

bool is_local(const file& inside) noexcept {
  std::error_code error;
  return (ask_mount(inside, error).f_flags & MNT_LOCAL) != 0;
}

bool is_in_memory(const file& inside) noexcept {
  std::error_code error;
  return std::string_view{ask_mount(inside, error).f_fstypename} == "tmpfs";
}

}  // namespace freshet::detail::os

// What belongs to a file beside its bytes, on Linux: mode, owner, access control lists and extended attributes.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "src/os/directory.hpp"
#include "src/os/same_file.hpp"
#include "src/os/unix/owner.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

constexpr const char* access_list = "system.posix_acl_access";

// Only these are the user's own: others belong to the system, which may refuse them or give each file its own.
bool must_be_kept(std::string_view name) noexcept { return name == access_list || name.starts_with("user."); }

bool knows_no_attributes(std::error_code why) noexcept {
  return why == std::errc::not_supported || why == std::errc::operation_not_supported;
}

// Asks twice, for the length and for the value, until the value has not grown in between. `ask` is passed a buffer and
// its length.
template <typename Ask>
std::string ask_for_value(std::error_code& error, Ask ask) {
  for (std::string value;;) {
    const auto length = make_call({call::status, -1, 0, 0}, error, [&](std::size_t) { return ask(nullptr, 0); });
    if (error || length == 0) return {};
    value.resize(static_cast<std::size_t>(length));
    const auto got =
        make_call({call::status, -1, 0, 0}, error, [&](std::size_t) { return ask(value.data(), value.size()); });
    if (error == std::errc::result_out_of_range) continue;
    if (!error) value.resize(static_cast<std::size_t>(got));
    return value;
  }
}

/// The extended attributes of a file that may be looked at, but perhaps not read.
class attribute_source {
 public:
  /// `original` is the entry `name` of `directory`, opened as a path, whose attributes only a name below /proc tells.
  /// Where there is no /proc, the entry must be readable.
  attribute_source(const file& original, int directory, const std::string& name, std::error_code& error)
      : path_{"/proc/self/fd/" + std::to_string(original.descriptor())} {
    make_call({call::status, original.descriptor(), 0, 0}, error,
              [&](std::size_t) { return ::access(path_.c_str(), F_OK); });
    if (error != std::errc::no_such_file_or_directory && error != std::errc::permission_denied) return;
    constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    readable_ = file::wrap(make_call({call::open, directory, 0, 0}, error,
                                     [&](std::size_t) { return ::openat(directory, name.c_str(), flags); }),
                           true);
    if (!error && !is_same_file(original.descriptor(), readable_.descriptor()))
      error = std::make_error_code(std::errc::no_such_file_or_directory);  // replaced meanwhile
  }

  [[nodiscard]] std::vector<std::string> names(std::error_code& error) const {
    const std::string all = ask_for_value(error, [&](char* buffer, std::size_t size) {
      return readable_.is_open() ? ::flistxattr(readable_.descriptor(), buffer, size)
                                 : ::listxattr(path_.c_str(), buffer, size);
    });
    if (knows_no_attributes(error)) error.clear();
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < all.size(); begin += names.back().size() + 1) names.emplace_back(&all[begin]);
    return names;
  }

  [[nodiscard]] std::string value(const std::string& name, std::error_code& error) const {
    return ask_for_value(error, [&](char* buffer, std::size_t size) {
      return readable_.is_open() ? ::fgetxattr(readable_.descriptor(), name.c_str(), buffer, size)
                                 : ::getxattr(path_.c_str(), name.c_str(), buffer, size);
    });
  }

 private:
  std::string path_;
  file readable_;  // closed: by the path
};

void copy_attribute(const attribute_source& from, const std::string& name, int to, std::error_code& error) {
  const std::string value = from.value(name, error);
  if (!error)
    make_call({call::set_attributes, to, 0, 0}, error,
              [&](std::size_t) { return ::fsetxattr(to, name.c_str(), value.data(), value.size(), 0); });
  if (error == std::errc::no_message_available || !must_be_kept(name)) error.clear();  // removed since, or not ours
}

void copy_extended_attributes(const attribute_source& from, int to, std::error_code& error) {
  const auto names = from.names(error);
  for (const std::string& name : names)
    if (!error) copy_attribute(from, name, to, error);
  // A new file inherits a list from its directory.
  if (error || std::ranges::find(names, access_list) != names.end()) return;
  make_call({call::status, to, 0, 0}, error, [&](std::size_t) { return ::fgetxattr(to, access_list, nullptr, 0); });
  if (!error)
    make_call({call::set_attributes, to, 0, 0}, error, [&](std::size_t) { return ::fremovexattr(to, access_list); });
  if (knows_no_attributes(error) || error == std::errc::no_message_available) error.clear();
}

}  // namespace

bool directory::copy_attributes(const std::string& name, const file& target, std::error_code& error) const noexcept
    try {
  const int to = target.descriptor();
  const file original = file::wrap(
      make_call({call::open, descriptor_, 0, 0}, error,
                [&](std::size_t) { return ::openat(descriptor_, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC); }),
      true);
  if (error == std::errc::no_such_file_or_directory) error.clear();
  if (!original.is_open()) return false;
  struct stat from {};
  struct stat now {};
  const auto look_at = [&](int descriptor, struct stat& found) {
    if (!error)
      make_call({call::status, descriptor, 0, 0}, error, [&](std::size_t) { return ::fstat(descriptor, &found); });
  };
  look_at(original.descriptor(), from);
  look_at(to, now);
  if (error) return false;
  const bool is_owner_kept = copy_owner(from, now, to, error);
  if (error) return false;
  const attribute_source source{original, descriptor_, name, error};
  if (!error) copy_extended_attributes(source, to, error);
  if (!error) copy_mode(kept_mode(from, is_owner_kept), to, error);
  return !error;
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return false;
}

}  // namespace freshet::detail::os

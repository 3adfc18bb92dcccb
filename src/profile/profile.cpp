#include <freshet/profile.hpp>

#include <random>
#include <span>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "src/os/native_string.hpp"
#include "src/profile/profile_text.hpp"

namespace freshet {
namespace {

using disposition = detail::os::open_request::disposition;

void check(const std::error_code& code, std::string_view operation, const std::filesystem::path& path) {
  if (code) throw error{code, operation, path};
}

/// Reads the file, up to one byte more than the largest profile.
std::string read_text(const std::filesystem::path& path) {
  // Opening a named pipe would wait for its writer.
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (std::filesystem::is_directory(status)) check(make_error_code(std::errc::is_a_directory), "read", path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw error{make_error_code(std::errc::invalid_argument), "read", path, error::no_offset, "not a regular file"};
  detail::os::file source = detail::os::file::open_existing(path, code);
  check(code, "open", path);

  std::string text(detail::largest_profile + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto rest = std::as_writable_bytes(std::span{text}).subspan(length);
    const std::size_t count = source.read_at(rest, length, code);
    if (detail::is_interruption(code)) continue;
    check(code, "read", path);
    if (count == 0) break;
    length += count;
  }
  text.resize(length);
  return text;
}

/// A name in the same directory as `path` that no other process uses.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  auto name = path;
  return name += "." + std::to_string(std::random_device{}()) + ".new";
}

/// A file that is removed again unless it gets its final name.
class temporary_file {
 public:
  explicit temporary_file(const std::filesystem::path& target) : target_{target}, name_{temporary_name(target)} {
    std::error_code code;
    file_ = detail::os::file::open(name_, {.creation = disposition::create_new, .permissions = 0644}, code);
    check(code, "create", name_);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    if (!name_.empty()) detail::os::remove(name_, ignored);
  }

  void write(std::string_view text) {
    std::error_code code;
    detail::write_all(file_, std::as_bytes(std::span{text}), 0, detail::pwrite_once, code);
    check(code, "write", name_);
  }

  /// Makes the file durable and replaces the target with it.
  void commit() {
    std::error_code code;
    file_.sync(code);
    check(code, "sync", name_);
    file_.close(code);
    check(code, "close", name_);
    detail::os::rename(name_, target_, code);
    check(code, "replace", target_);
    name_.clear();
    detail::os::sync_directory(target_.parent_path(), code);
    check(code, "sync", target_.parent_path());
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path name_;
  detail::os::file file_;
};

/// Resolves symbolic links: a link, as dotfile managers make them, is kept.
std::filesystem::path resolve(const std::filesystem::path& path) {
  std::error_code code;
  auto resolved = std::filesystem::weakly_canonical(std::filesystem::absolute(path), code);
  return code ? std::filesystem::absolute(path) : resolved;
}

/// The text of the profile `target` with `entry` added.
std::string merged_text(const std::filesystem::path& target, const file_system_profile& entry) {
  std::error_code code;
  if (std::filesystem::exists(target, code)) {
    const std::string old = read_text(target);
    if (old.size() <= detail::largest_profile) {
      if (auto merged = detail::merge_profile(old, entry, target)) return std::move(*merged);
    }
    auto broken = target;
    detail::os::rename(target, broken += ".broken", code);
    check(code, "set aside", target);
  }
  if (auto fresh = detail::merge_profile("", entry, target)) return std::move(*fresh);
  throw error{make_error_code(std::errc::invalid_argument), "save", target, error::no_offset,
              "'" + entry.key + "' cannot be written as a key"};
}

}  // namespace

profile read_profile(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  if (text.size() <= detail::largest_profile) return detail::parse_profile(text, path);
  profile unread;
  unread.path = path;
  unread.warnings.push_back(detail::to_utf8(path.native()) + ":1: more than " +
                            std::to_string(detail::largest_profile) + " bytes; the file is ignored");
  return unread;
}

void save_profile(const std::filesystem::path& path, const file_system_profile& entry) {
  if (path.empty()) {
    throw error{make_error_code(std::errc::invalid_argument), "save", path, error::no_offset,
                "there is no home directory for the profile"};
  }
  const auto target = resolve(path);
  std::error_code code;
  std::filesystem::create_directories(target.parent_path(), code);
  check(code, "create", target.parent_path());

  const std::string text = merged_text(target, entry);
  if (text.size() > detail::largest_profile)
    throw error{make_error_code(std::errc::file_too_large), "save", target, error::no_offset, "too many file systems"};
  temporary_file replacement{target};
  replacement.write(text);
  replacement.commit();
}

std::vector<std::filesystem::path> profile_search_path() {
  if (const auto chosen = detail::os::secure_environment("FRESHET_PROFILE"); chosen && !chosen->empty()) {
    if (*chosen == "none") return {};
    return {detail::to_native(*chosen)};
  }
  std::vector<std::filesystem::path> places;
  if (auto user = user_profile_path(); !user.empty()) places.push_back(std::move(user));
  places.push_back(system_profile_path());
  return places;
}

std::filesystem::path user_profile_path() {
  const auto settings = detail::os::user_settings();
  return settings.empty() ? settings : settings / "freshet" / "profile.toml";
}

std::filesystem::path system_profile_path() { return detail::os::system_settings() / "freshet" / "profile.toml"; }

}  // namespace freshet

#include "tool/encrypt/output_directory.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "tool/encrypt/hidden_file.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_output(const fs::path& path, std::errc why, std::string_view detail) {
  throw error{std::make_error_code(why), "encrypt into", path, error::no_offset, detail};
}

// `path` and all that it lies in, by what they are and not by what they are called. @throws freshet::error
bool lies_in(const fs::path& path, const detail::os::file_status& directory) {
  std::error_code failure;
  fs::path at = fs::weakly_canonical(fs::absolute(path), failure);
  if (failure) throw error{failure, "look at", path};
  while (true) {
    const detail::os::file_status found = detail::os::status_of(at, failure);
    if (!failure && found.device == directory.device && found.inode == directory.inode) return true;
    if (!at.has_relative_path()) return false;
    at = at.parent_path();
  }
}

bool is_missing(const fs::path& path) {
  std::error_code failure;
  const fs::file_status found = fs::symlink_status(path, failure);
  if (!fs::exists(found) && found.type() != fs::file_type::not_found) throw error{failure, "look at", path};
  return !fs::exists(found);
}

void remove_file(const fs::path& path) {
  std::error_code failure;
  detail::os::remove(path, failure);
  if (failure && failure != std::errc::no_such_file_or_directory) throw error{failure, "remove", path};
}

}  // namespace

void require_apart(const fs::path& in, const fs::path& out) {
  std::error_code failure;
  const detail::os::file_status from = detail::os::status_of(in, failure);
  if (failure) throw error{failure, "look at", in};
  if (lies_in(out, from)) refuse_output(out, std::errc::invalid_argument, "it is the input's directory, or lies in it");
  const detail::os::file_status to = detail::os::status_of(out, failure);
  if (!failure && lies_in(in, to)) refuse_output(out, std::errc::invalid_argument, "the input lies in it");
}

std::vector<input_file> missing_in(const fs::path& directory, const std::vector<input_file>& files) {
  std::vector<input_file> missing;
  std::ranges::copy_if(files, std::back_inserter(missing),
                       [&](const input_file& file) { return is_missing(directory / file.name); });
  return missing;
}

output_directory::output_directory(fs::path path, const manifest& wanted, if_there what) : path_{std::move(path)} {
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure) throw error{failure, "make the directory", path_};
  require_room_for(what);
  lock();
  begin(wanted, what);
}

// A run that was killed before its manifest was written has left nothing but an empty one, or leftovers.
void output_directory::require_room_for(if_there what) const {
  if (what == if_there::replace) return;
  std::error_code failure;
  bool has_others = false;
  for (fs::directory_iterator entry{path_, failure}, end; !failure && entry != end; entry.increment(failure))
    has_others = has_others || !(entry->path().filename() == manifest_name ||
                                 (what == if_there::resume && is_leftover(entry->path().filename().native())));
  if (failure) throw error{failure, "list", path_};
  const bool has_manifest = detail::os::status_of(path_ / manifest_name, failure).size != 0;
  if (what == if_there::refuse && (has_others || has_manifest))
    refuse_output(path_, std::errc::directory_not_empty,
                  "--resume continues what was begun there, --force replaces files of the same names");
  if (what == if_there::resume && has_others && !has_manifest)
    refuse_output(path_, std::errc::directory_not_empty,
                  "what is there has no manifest of freshet encrypt to be continued by");
}

// Whoever replaces the manifest holds the lock on both, so that the name always leads to one that is locked.
void output_directory::lock() {
  const fs::path name = path_ / manifest_name;
  for (bool same = false; !same;) {
    std::error_code failure;
    lock_ =
        detail::os::file::open(name, {.what = detail::os::open_request::disposition::create, .read = true}, failure);
    if (failure) throw error{failure, "open", name};
    lock_.lock(failure);
    // Where there are no locks (some network file systems), nobody has one.
    if (failure == std::errc::operation_would_block)
      refuse_output(path_, std::errc::device_or_resource_busy, "another freshet is at work there");
    const detail::os::file_status named = detail::os::status_of(name, failure);
    const detail::os::file_status locked = lock_.status(failure);
    same = !failure && named.device == locked.device && named.inode == locked.inode;
  }
}

void output_directory::begin(const manifest& wanted, if_there what) {
  const auto earlier = what == if_there::replace ? std::nullopt : read_manifest(path_);
  if (earlier && what == if_there::refuse)
    refuse_output(path_, std::errc::directory_not_empty, "another freshet was at work there meanwhile");
  if (earlier)
    if (const std::string found = first_difference(*earlier, wanted); !found.empty())
      refuse_output(path_, std::errc::invalid_argument, "--resume continues the same run only, and " + found);
  if (what == if_there::resume) remove_leftovers();
  if (earlier && !earlier->clearing && earlier->boot == wanted.boot) {
    unfinished_ = missing_in(path_, wanted.inputs);
    return;
  }
  require_removable(wanted);
  manifest made = wanted;
  made.clearing = missing_in(path_, wanted.inputs).size() != wanted.inputs.size();
  if (made.clearing) save(made);
  for (const input_file& file : made.inputs) remove_file(path_ / file.name);
  made.clearing = false;
  save(made);
  unfinished_ = wanted.inputs;
}

void output_directory::require_removable(const manifest& wanted) const {
  for (const input_file& file : wanted.inputs)
    if (fs::is_directory(fs::symlink_status(path_ / file.name)))
      refuse_output(path_ / file.name, std::errc::is_a_directory, "a file of that name is to be written");
}

void output_directory::remove_leftovers() const {
  std::error_code failure;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry{path_, failure}, end; !failure && entry != end; entry.increment(failure))
    if (is_leftover(entry->path().filename().native()) && entry->is_regular_file(failure))
      found.push_back(entry->path());
  if (failure) throw error{failure, "list", path_};
  for (const fs::path& path : found) remove_file(path);
}

void output_directory::save(const manifest& made) {
  const std::string text = to_text(made);
  hidden_file hidden{path_ / manifest_name};
  std::error_code failure;
  detail::os::file file = detail::os::file::open(
      hidden.path(), {.what = detail::os::open_request::disposition::existing, .read = true}, failure);
  if (failure) throw error{failure, "open", hidden.path()};
  std::error_code no_locks;
  file.lock(no_locks);
  const std::size_t written = detail::write_all(file, std::as_bytes(std::span{text}), 0, detail::attempt_at, failure);
  if (failure) throw error{failure, "write", path_ / manifest_name, written};
  hidden.publish();
  lock_ = std::move(file);
}

}  // namespace freshet::tool

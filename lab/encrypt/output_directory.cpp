#include "lab/encrypt/output_directory.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/sink/publisher.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_output(const fs::path& path, std::errc why, std::string_view detail) {
  throw error{std::make_error_code(why), "encrypt into", path, error::no_offset, detail};
}

// Whether `path` is `directory` or lies in it, by device and inode and not by name. @throws freshet::error
bool is_inside(const fs::path& path, const detail::os::file_status& directory) {
  std::error_code failure;
  fs::path ancestor = fs::weakly_canonical(fs::absolute(path), failure);
  if (failure) throw error{failure, "stat", path};
  while (true) {
    const detail::os::file_status status = detail::os::status_of(ancestor, failure);
    if (!failure && status.device == directory.device && status.inode == directory.inode) return true;
    if (!ancestor.has_relative_path()) return false;
    ancestor = ancestor.parent_path();
  }
}

bool is_missing(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::symlink_status(path, failure);
  if (!fs::exists(status) && status.type() != fs::file_type::not_found) throw error{failure, "stat", path};
  return !fs::exists(status);
}

// Whether the output of an input of that size can have the size `out`: three bytes of a line become four letters, and
// what is left of them, four as well.
bool is_possible(const cipher_plan& plan, std::uint64_t in, std::uint64_t out) {
  const std::uint64_t plain = plan.decrypt ? out : in;
  const std::uint64_t encrypted = plan.decrypt ? in : out;
  return encrypted >= plain && encrypted / 4 <= plain;
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
  if (failure) throw error{failure, "stat", in};
  if (is_inside(out, from))
    refuse_output(out, std::errc::invalid_argument, "it is the input's directory, or lies in it");
  const detail::os::file_status to = detail::os::status_of(out, failure);
  if (!failure && is_inside(in, to)) refuse_output(out, std::errc::invalid_argument, "the input lies in it");
}

std::vector<input_file> find_missing(const fs::path& directory, const std::vector<input_file>& files) {
  std::vector<input_file> missing;
  std::ranges::copy_if(files, std::back_inserter(missing),
                       [&](const input_file& file) { return is_missing(directory / file.name); });
  return missing;
}

output_directory::output_directory(fs::path path, const manifest& wanted, existing_output policy)
    : path_{std::move(path)} {
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure) throw error{failure, "make the directory", path_};
  check_content(policy);
  lock();
  begin(wanted, policy);
}

// A run that was killed before it wrote its manifest leaves an empty manifest or temporary files, and nothing else.
void output_directory::check_content(existing_output policy) const {
  if (policy == existing_output::replace) return;
  const bool has_others = std::ranges::any_of(list_names(path_), [&](const std::string& name) {
    return name != manifest_name && !(policy == existing_output::resume && is_leftover(name));
  });
  std::error_code missing;
  const bool has_manifest = detail::os::status_of(path_ / manifest_name, missing).size != 0;
  if (policy == existing_output::refuse && (has_others || has_manifest))
    refuse_output(
        path_, std::errc::directory_not_empty,
        "it is not empty; --resume continues the run that started there, --force replaces files of the same names");
  if (policy == existing_output::resume && has_others && !has_manifest)
    refuse_output(path_, std::errc::directory_not_empty,
                  "it has files but no manifest of freshet encrypt, so there is nothing to resume");
}

// A run that replaces the manifest holds the locks of the old and the new file, so the name always refers to a locked
// one.
void output_directory::lock() {
  const fs::path name = path_ / manifest_name;
  for (bool same = false; !same;) {
    std::error_code failure;
    lock_ = detail::os::file::open(name, {.creation = detail::os::open_request::disposition::create, .read = true},
                                   failure);
    if (failure) throw error{failure, "open", name};
    lock_.lock(failure);
    // Other failures are ignored, because some network file systems have no locks.
    if (failure == std::errc::operation_would_block)
      refuse_output(path_, std::errc::device_or_resource_busy, "another freshet is using it");
    const detail::os::file_status named = detail::os::status_of(name, failure);
    const detail::os::file_status locked = lock_.status(failure);
    same = !failure && named.device == locked.device && named.inode == locked.inode;
  }
}

void output_directory::begin(const manifest& wanted, existing_output policy) {
  const auto earlier = policy == existing_output::replace ? std::nullopt : read_manifest(path_);
  if (earlier && policy == existing_output::refuse)
    refuse_output(path_, std::errc::directory_not_empty, "another freshet has started to use it");
  if (earlier)
    if (const std::string difference = describe_difference(*earlier, wanted); !difference.empty())
      refuse_output(path_, std::errc::invalid_argument, "--resume can only continue the same run, and " + difference);
  if (policy == existing_output::resume) remove_leftovers();
  if (earlier && !earlier->clearing && earlier->boot == wanted.boot) {
    remove_changed(*earlier);
    unfinished_ = find_missing(path_, wanted.inputs);
    return;
  }
  require_removable(wanted);
  manifest content = wanted;
  content.clearing = find_missing(path_, wanted.inputs).size() != wanted.inputs.size();
  if (content.clearing) save(content);
  for (const input_file& file : content.inputs) remove_file(path_ / file.name);
  content.clearing = false;
  save(content);
  unfinished_ = wanted.inputs;
}

void output_directory::remove_changed(const manifest& earlier) {
  for (const input_file& in : earlier.inputs) {
    std::error_code missing;
    const detail::os::file_status now = detail::os::status_of(path_ / in.name, missing);
    if (missing || now.kind != detail::os::file_kind::regular) continue;
    const auto before = std::ranges::lower_bound(earlier.outputs, in.name, {}, &input_file::name);
    const bool is_known = before != earlier.outputs.end() && before->name == in.name;
    if (is_known ? now.size == before->size && now.modified == before->modified
                 : is_possible(earlier.plan, in.size, now.size))
      continue;
    remove_file(path_ / in.name);
    ++changed_;
  }
}

void output_directory::record_outputs(const manifest& wanted) {
  manifest content = wanted;
  content.outputs.clear();
  for (const input_file& in : wanted.inputs) {
    std::error_code missing;
    const detail::os::file_status now = detail::os::status_of(path_ / in.name, missing);
    if (!missing) content.outputs.push_back({in.name, now.size, now.modified});
  }
  save(content);
}

void output_directory::require_removable(const manifest& wanted) const {
  for (const input_file& file : wanted.inputs)
    if (fs::is_directory(fs::symlink_status(path_ / file.name)))
      refuse_output(path_ / file.name, std::errc::is_a_directory,
                    "it has the name of a file to be written; move it elsewhere");
}

void output_directory::remove_leftovers() const {
  for (const std::string& name : list_names(path_))
    if (std::error_code ignored; is_leftover(name) && fs::is_regular_file(path_ / name, ignored))
      remove_file(path_ / name);
}

void output_directory::save(const manifest& content) {
  const fs::path path = path_ / manifest_name;
  const std::string text = to_text(content);
  std::error_code failure;
  detail::publisher publisher;
  detail::os::file file = publisher.open_hidden(path, {.read = true}, failure);
  if (failure) throw error{failure, "open", path};
  std::error_code no_locks;
  file.lock(no_locks);
  const std::size_t written = detail::write_all(file, std::as_bytes(std::span{text}), 0, detail::pwrite_once, failure);
  if (failure) throw error{failure, "write", path, written};
  publisher.publish(file, true, failure);
  if (failure) throw error{failure, "give its name to", path};
  lock_ = std::move(file);
}

}  // namespace freshet::tool

#include "tool/encrypt/input_files.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/measure/cold.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_input(const fs::path& path, std::errc why, std::string_view detail = {}) {
  throw error{std::make_error_code(why), "encrypt", path, error::no_offset, detail};
}

// Beyond its bytes, what a file costs by being one.
constexpr std::uint64_t bytes_per_file = 4096;

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry{directory, failure}, end; !failure && entry != end; entry.increment(failure))
    names.push_back(entry->path().filename());
  if (failure) throw error{failure, "list", directory};
  std::ranges::sort(names);
  return names;
}

input_file look_at(const fs::path& directory, std::string name) {
  const fs::path path = directory / name;
  std::error_code failure;
  const detail::os::file_status found = detail::os::status_of(path, failure);
  if (failure == std::errc::no_such_file_or_directory && fs::is_symlink(fs::symlink_status(path)))
    refuse_input(path, std::errc::no_such_file_or_directory, "a link that leads nowhere");
  if (failure) throw error{failure, "look at", path};
  if (found.kind == detail::os::file_kind::directory)
    refuse_input(path, std::errc::is_a_directory, "only files are encrypted");
  if (found.kind != detail::os::file_kind::regular)
    refuse_input(path, std::errc::invalid_argument, "it is no regular file");
  if (is_leftover(name)) refuse_input(path, std::errc::invalid_argument, "a file left by a run that was killed");
  detail::os::require_readable(path, failure);
  if (failure) throw error{failure, "open", path};
  return {std::move(name), found.size, found.modified};
}

}  // namespace

bool is_leftover(std::string_view name) noexcept {
  constexpr std::string_view prefix = ".freshet-";
  constexpr std::string_view suffix = ".tmp";
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return false;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<input_file> list_input(const fs::path& directory) {
  std::vector<input_file> files;
  for (std::string& name : names_in(directory)) {
    throw_if_interrupted();
    if (name != manifest_name) files.push_back(look_at(directory, std::move(name)));
  }
  return files;
}

void fail_as_changed(const fs::path& directory, const input_file& found) {
  throw error{std::make_error_code(std::errc::device_or_resource_busy), "encrypt", directory / found.name,
              error::no_offset, "it was changed meanwhile"};
}

void require_unchanged(const fs::path& directory, const input_file& found) {
  const fs::path path = directory / found.name;
  std::error_code failure;
  const detail::os::file_status now = detail::os::status_of(path, failure);
  if (failure) throw error{failure, "look at", path};
  if (now.kind != detail::os::file_kind::regular || now.size != found.size || now.modified != found.modified)
    fail_as_changed(directory, found);
}

double share_in_memory(const fs::path& directory, std::span<const input_file> files) {
  constexpr std::size_t enough = 64;
  const std::size_t step = std::max<std::size_t>(1, files.size() / enough);
  std::uint64_t all = 0;
  std::uint64_t cached = 0;
  for (std::size_t at = 0; at < files.size(); at += step) {
    all += files[at].size;
    cached += told_bytes_in_cache(directory / files[at].name).value_or(0);
  }
  return all == 0 ? 1 : static_cast<double>(cached) / static_cast<double>(all);
}

// The largest first, each to the share that has least so far: no share is larger than it must be by more than a file.
std::vector<std::vector<input_file>> share_out(std::span<const input_file> files, unsigned count) {
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t at) { return files[at].size; });
  using filling = std::pair<std::uint64_t, unsigned>;  // bytes, and whose
  std::priority_queue<filling, std::vector<filling>, std::greater<>> least;
  for (unsigned share = 0; share < count; ++share) least.emplace(0, share);
  std::vector<std::vector<std::size_t>> chosen(count);
  for (const std::size_t at : order) {
    const auto [bytes, share] = least.top();
    least.pop();
    chosen[share].push_back(at);
    least.emplace(bytes + files[at].size + bytes_per_file, share);
  }
  std::vector<std::vector<input_file>> shares(count);
  for (unsigned share = 0; share < count; ++share) {
    std::ranges::sort(chosen[share]);
    for (const std::size_t at : chosen[share]) shares[share].push_back(files[at]);
  }
  return shares;
}

}  // namespace freshet::tool

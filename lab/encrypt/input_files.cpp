#include "lab/encrypt/input_files.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

#include "lab/encrypt/line_cipher.hpp"
#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/cold.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_input(const fs::path& path, std::errc why, std::string_view detail = {}) {
  throw error{std::make_error_code(why), "encrypt", path, error::no_offset, detail};
}

// A file costs about as much as this many bytes, in addition to its own bytes.
constexpr std::uint64_t bytes_per_file = 4096;

input_file inspect_input(const fs::path& directory, std::string name) {
  const fs::path path = directory / name;
  std::error_code failure;
  const detail::os::file_status status = detail::os::status_of(path, failure);
  if (failure == std::errc::no_such_file_or_directory && fs::is_symlink(fs::symlink_status(path)))
    refuse_input(path, std::errc::no_such_file_or_directory, "it is a symbolic link to nothing");
  if (failure) throw error{failure, "stat", path};
  if (status.kind == detail::os::file_kind::directory)
    refuse_input(path, std::errc::is_a_directory, "only files can be encrypted; move it elsewhere");
  if (status.kind != detail::os::file_kind::regular)
    refuse_input(path, std::errc::invalid_argument, "it is not a regular file");
  if (is_leftover(name))
    refuse_input(path, std::errc::invalid_argument, "it was left by a run that was killed; remove it");
  detail::os::require_readable(path, failure);
  if (failure) throw error{failure, "open", path};
  return {std::move(name), status.size, status.modified};
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

std::vector<std::string> list_names(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::path& each : list_entries(directory, failure)) names.push_back(each.filename());
  if (failure) throw error{failure, "list", directory};
  std::ranges::sort(names);
  return names;
}

std::vector<input_file> list_input(const fs::path& directory) {
  std::vector<input_file> files;
  for (std::string& name : list_names(directory)) {
    throw_if_interrupted();
    if (name != manifest_name) files.push_back(inspect_input(directory, std::move(name)));
  }
  return files;
}

void throw_changed(const fs::path& directory, const input_file& file) {
  refuse(std::errc::device_or_resource_busy, "encrypt", directory / file.name, "it was changed during the run");
}

void require_unchanged(const fs::path& directory, const input_file& file) {
  const fs::path path = directory / file.name;
  std::error_code failure;
  const detail::os::file_status now = detail::os::status_of(path, failure);
  if (failure) throw error{failure, "stat", path};
  if (now.kind != detail::os::file_kind::regular || now.size != file.size || now.modified != file.modified)
    throw_changed(directory, file);
}

double share_in_memory(const fs::path& directory, std::span<const input_file> files) {
  constexpr std::size_t enough = 64;
  const std::size_t step = std::max<std::size_t>(1, files.size() / enough);
  std::uint64_t all = 0;
  std::uint64_t cached = 0;
  for (std::size_t index = 0; index < files.size(); index += step) {
    all += files[index].size;
    cached += visible_bytes_in_cache(directory / files[index].name).value_or(0);
  }
  return all == 0 ? 1 : static_cast<double>(cached) / static_cast<double>(all);
}

text_volume count_text(const fs::path& directory, std::span<const input_file> files) {
  text_volume all;
  for (const input_file& file : files) {
    throw_if_interrupted();
    reader in{directory / file.name};
    while (true) {
      const std::span<const std::byte> line = in.view_through(std::byte{'\n'}, longest_line + 1);
      if (line.empty()) break;
      const bool has_end = line.back() == std::byte{'\n'};
      ++all.lines;
      all.bytes += line.size();
      all.bytes_out += encrypted_length(line.size() - (has_end ? 1 : 0)) + (has_end ? 1 : 0);
    }
    ++all.files;
  }
  return all;
}

// Gives each file, the largest first, to the smallest share, so that shares differ by one file at most.
std::vector<std::vector<input_file>> share_out(std::span<const input_file> files, unsigned count) {
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t index) { return files[index].size; });
  using share_size = std::pair<std::uint64_t, unsigned>;  // bytes and share
  std::priority_queue<share_size, std::vector<share_size>, std::greater<>> smallest;
  for (unsigned share = 0; share < count; ++share) smallest.emplace(0, share);
  std::vector<std::vector<std::size_t>> chosen(count);
  for (const std::size_t index : order) {
    const auto [bytes, share] = smallest.top();
    smallest.pop();
    chosen[share].push_back(index);
    smallest.emplace(bytes + files[index].size + bytes_per_file, share);
  }
  std::vector<std::vector<input_file>> shares(count);
  for (unsigned share = 0; share < count; ++share) {
    std::ranges::sort(chosen[share]);
    for (const std::size_t index : chosen[share]) shares[share].push_back(files[index]);
  }
  return shares;
}

}  // namespace freshet::tool

#include "lab/campaign/cold_start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/child.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cold.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t probe_size = std::size_t{1} << 20;
constexpr unsigned most_tries = 3;
constexpr const char* probe_name = ".freshet-campaign-probe";  // one for all, so that a power cut leaves one at most

// A file that the page cache holds, so that its absence later shows that caches were dropped.
void make_probe(const fs::path& file) {
  writer out{file, {.method = "buffered", .durability = durability::at_close}};
  out.write(std::string(probe_size, 'p'));
  out.close();
  read_into_cache(file);
}

struct cached_inputs {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string first;    // a file of which something is cached
  std::string unknown;  // why nothing is known of some file
};

void look_at(const fs::path& file, cached_inputs& all) {
  throw_if_interrupted();
  try {
    const std::uint64_t bytes = bytes_in_cache(file);
    ++all.files;
    all.bytes += bytes;
    if (bytes != 0 && all.first.empty()) all.first = file.string();
  } catch (const error& failure) {
    all.unknown = failure.what();
  }
}

cached_inputs look_at_all(std::span<const fs::path> inputs) {
  cached_inputs all;
  for (const fs::path& input : inputs) {
    std::error_code failure;
    if (!fs::is_directory(input, failure)) {
      look_at(input, all);
      continue;
    }
    for (fs::recursive_directory_iterator entry{input, failure}, end; !failure && entry != end;
         entry.increment(failure))
      if (entry->is_regular_file(failure)) look_at(entry->path(), all);
    if (failure) all.unknown = fmt::format("{}: {}", input.string(), failure.message());
  }
  return all;
}

// The page cache's answer about the probe, before the inputs are asked about.
cold_start prove_dropped(const fs::path& probe, std::span<const fs::path> inputs, const std::string& done) {
  if (const std::uint64_t left = bytes_in_cache(probe); left != 0)
    return {false, fmt::format("{}, but the page cache still held {} of a probe", done, format_size(left))};
  return prove_uncached(inputs, done + "; a probe that was cached before is not any more");
}

// A mount of a whole file system; empty if it is of a part of one.
std::optional<mounted> describe_whole(const detail::os::mount_entry& mount) {
  if (mount.root != "/") return {};
  // Whether the file system may be written everywhere says nothing of this mount.
  const bool is_read_only = (mount.options + ',').starts_with("ro,");
  std::string options = replaced(mount.options + ',', is_read_only ? ",rw," : ",ro,", ",");
  options.pop_back();
  return mounted{.source = mount.source, .type = mount.type, .options = std::move(options), .point = mount.mount_point};
}

// A loop device that detaches itself is gone once it is unmounted; its file is not.
void name_file_behind_loop(mounted& how) {
  constexpr std::string_view prefix = "/dev/loop";
  if (!how.source.starts_with(prefix)) return;
  const fs::path loop = fs::path{"/sys/block"} / fs::path{how.source}.filename() / "loop";
  if (read_first_line(loop / "autoclear") != "1") return;
  how.source = read_first_line(loop / "backing_file");
  how.options += ",loop";
}

bool is_mounted(const fs::path& point) {
  return std::ranges::any_of(list_mounts(),
                             [&](const auto& each) { return each.root == "/" && each.mount_point == point; });
}

void mount_again(const mounted& how) {
  try {
    run_program({.words = {"mount", "-t", how.type, "-o", how.options, how.source, how.point.string()}});
  } catch (const child_failure& failure) {
    refuse(std::errc::io_error, "mount", how.point, fmt::format("mount {}: {}", failure.what(), failure.last_words()));
  }
}

}  // namespace

cold_start prove_uncached(std::span<const fs::path> inputs, const std::string& since) {
  if (inputs.empty()) return {true, since};
  const cached_inputs seen = look_at_all(inputs);
  if (!seen.unknown.empty()) return {false, fmt::format("{}, but the inputs cannot be seen: {}", since, seen.unknown)};
  if (seen.bytes != 0)
    return {false, fmt::format("{}, but {} of the inputs were cached, such as {}", since, format_size(seen.bytes),
                               seen.first)};
  return {true, fmt::format("{}, nor is anything of {} of the inputs", since, format_count(seen.files, "file"))};
}

std::string why_not_drop_caches(const fs::path& proc) {
  const fs::path file = proc / "sys/vm/drop_caches";
  if (::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0) return {};
  return fmt::format("{}: {}; dropping caches takes root", file.string(), std::generic_category().message(errno));
}

cold_start drop_caches(const fs::path& directory, std::span<const fs::path> inputs, const fs::path& proc) {
  const scratch files{directory};
  const fs::path probe = files.file(0);
  cold_start last;
  for (unsigned tries = 1; tries <= most_tries && !last.cold; ++tries) {
    make_probe(probe);
    if (bytes_in_cache(probe) < probe_size)
      return {false,
              fmt::format("the page cache does not keep a probe in {}, so nothing is proven", directory.string())};
    ::sync();  // only clean pages are dropped
    std::error_code failure;
    drop_kernel_caches(proc, failure);
    if (failure) throw error{failure, "write", proc / "sys/vm/drop_caches"};
    last = prove_dropped(probe, inputs, "caches were dropped");
  }
  return last;
}

mounted find_mount(const fs::path& point, const fs::path& proc) {
  const fs::path named = fs::weakly_canonical(point);
  std::optional<mounted> last;  // what was mounted last is what is seen
  for (const detail::os::mount_entry& each : list_mounts(proc))
    if (each.mount_point == named)
      if (auto whole = describe_whole(each)) last = std::move(whole);
  if (!last) refuse(std::errc::invalid_argument, "remount", point, "no whole file system is mounted there");
  name_file_behind_loop(*last);
  return *last;
}

std::string to_json_text(const mounted& how) {
  return to_text({{"source", how.source}, {"type", how.type}, {"options", how.options}, {"point", how.point.string()}});
}

mounted mounted_from_json(const std::string& text) {
  const nlohmann::json from = nlohmann::json::parse(text);
  return {.source = from.at("source").get<std::string>(),
          .type = from.at("type").get<std::string>(),
          .options = from.at("options").get<std::string>(),
          .point = from.at("point").get<std::string>()};
}

cold_start remount(const mounted& how, std::span<const fs::path> inputs) {
  if (!is_mounted(how.point)) mount_again(how);
  const fs::path probe = how.point / probe_name;
  make_probe(probe);
  const bool was_cached = bytes_in_cache(probe) == probe_size;
  const bool unmounted = ::umount2(how.point.c_str(), UMOUNT_NOFOLLOW) == 0;
  const int reason = errno;
  if (unmounted) mount_again(how);
  cold_start seen{false, "the page cache does not keep a probe there, so nothing is proven"};
  if (unmounted && was_cached)
    seen = prove_dropped(probe, inputs, fmt::format("{} was mounted anew", how.point.string()));
  std::error_code ignored;
  fs::remove(probe, ignored);
  if (!unmounted)
    throw error{{reason, std::system_category()},
                "unmount",
                how.point,
                error::no_offset,
                reason == EBUSY ? "something has files open there, or works in it" : ""};
  return seen;
}

}  // namespace freshet::tool

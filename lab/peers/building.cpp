#include "lab/peers/building.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/trial/read_file.hpp"
#include "tool/workload/checksum.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// The path `relative` to this program's folder; empty if it has no `proof` in it.
fs::path find_installed(const fs::path& relative, const fs::path& proof) {
  std::error_code none;
  fs::path path = (own_program().parent_path() / relative).lexically_normal();
  return fs::exists(path / proof, none) ? path : fs::path{};
}

constexpr std::string_view module_prefix = "pkg-config:";
constexpr std::string_view header_prefix = "header:";
constexpr std::string_view library_prefix = "library:";
constexpr std::string_view answer_prefix = "answer:";
constexpr double answer_time_limit = 30;  // seconds

std::string remove_prefix(std::string_view prefix, const std::string& need) { return need.substr(prefix.size()); }

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream words{line};
  return {std::istream_iterator<std::string>{words}, {}};
}

constexpr std::string_view built_mark = ".built";
constexpr std::string_view lock_name = ".lock";
constexpr std::size_t fingerprint_length = 16;
constexpr auto kept_unused = std::chrono::hours{7 * 24};

// Builds link the same freshet library as this command.
std::vector<std::string> make_build_environment() {
  std::string packages = own_package_directory();
  if (packages.empty()) return merge_environment({});
  if (const auto others = detail::os::secure_environment("PKG_CONFIG_PATH")) packages += ":" + *others;
  return merge_environment({"PKG_CONFIG_PATH=" + packages});
}

// Locks a folder against other processes as long as this object lives.
class folder_lock {
 public:
  explicit folder_lock(const fs::path& folder, double timeout) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw error{failure, "create the directory", folder};
    lock_ = detail::os::file::open(folder / lock_name,
                                   {.creation = detail::os::open_request::disposition::create, .read = true}, failure);
    if (failure) throw error{failure, "open", folder / lock_name};
    const stopwatch waited;
    while (lock_.lock(failure), failure == std::errc::operation_would_block) {
      if (waited.seconds() > timeout) throw error{failure, "lock", folder / lock_name};
      sleep_interruptibly(0.05);
    }
  }

 private:
  detail::os::file lock_;
};

void empty(const fs::path& folder) {
  for (const fs::directory_entry& each : fs::directory_iterator{folder})
    if (each.path().filename() != lock_name) fs::remove_all(each.path());
}

void add_file(checksum& sum, const fs::path& path) {
  sum.write(fmt::format("{}\n", read_file({.method = "buffered", .measured_class = io_class::warm}, path).checksum));
}

// Adds the names and contents of all files below a folder, if it exists, except Python's caches and files called
// `left_out`.
void add_folder(checksum& sum, const fs::path& folder, std::string_view left_out = {}) {
  std::set<fs::path> files;
  if (!fs::exists(folder)) return;
  for (fs::recursive_directory_iterator each{folder}, end; each != end; ++each) {
    if (each->path().filename() == "__pycache__") each.disable_recursion_pending();
    if (each->is_regular_file() && each->path().filename() != left_out) files.insert(each->path());
  }
  for (const fs::path& file : files) {
    sum.write(fmt::format("{}\n{}\n", file.lexically_relative(folder).string(), fs::file_size(file)));
    add_file(sum, file);
  }
}

}  // namespace

fs::path default_peers() {
  fs::path path = find_installed(FRESHET_LAB_TO_PEERS, "common");
  return path.empty() ? fs::path{FRESHET_SOURCE_PEERS} : path;
}

fs::path own_package_directory() {
  fs::path path = find_installed(FRESHET_LAB_TO_PACKAGES, "freshet.pc");
  if (!path.empty()) return path;
  std::error_code none;
  fs::path built = FRESHET_BUILT_PACKAGES;
  return !built.empty() && fs::exists(built / "freshet-uninstalled.pc", none) ? built : fs::path{};
}

fs::path build_cache() {
  const fs::path cache = user_directory("XDG_CACHE_HOME", ".cache");
  if (cache.empty()) throw std::runtime_error{"cannot build peers: neither XDG_CACHE_HOME nor HOME is set"};
  return cache / "freshet" / "peers";
}

const peer_toolchain* toolchains::find(const peer& of, std::string_view named) {
  for (const peer_toolchain& each : of.toolchains)
    if ((named.empty() || each.name == named) &&
        std::ranges::all_of(each.needs, [&](const std::string& need) { return has(need); }))
      return &each;
  return nullptr;
}

std::string toolchains::describe_missing(const peer& of) {
  std::vector<std::string> ways;
  for (const peer_toolchain& each : of.toolchains) {
    std::vector<std::string_view> lacking;
    for (const std::string& need : each.needs)
      if (!has(need)) lacking.emplace_back(need);
    ways.push_back(fmt::format("{} (Debian: {})", fmt::join(lacking, ", "), each.package));
  }
  return fmt::format("needs {}", fmt::join(ways, ", or "));
}

bool toolchains::has(const std::string& need) {
  const auto known = known_.find(need);
  return known != known_.end() ? known->second : known_.emplace(need, is_installed(need)).first->second;
}

bool toolchains::is_installed(const std::string& need) const {
  std::vector<std::string> words;
  if (need.starts_with(module_prefix)) {
    words = {"pkg-config", "--exists", remove_prefix(module_prefix, need)};
  } else if (need.starts_with(header_prefix)) {
    words = {"c++", "-x", "c++", "-E", "-o", "/dev/null", "-include", remove_prefix(header_prefix, need), "/dev/null"};
  } else if (need.starts_with(library_prefix)) {
    words = {"c++", "-shared",   "-o", "/dev/null", "-x",
             "c++", "/dev/null", "-x", "none",      "-l" + remove_prefix(library_prefix, need)};
  } else if (need.starts_with(answer_prefix)) {
    words = split_words(remove_prefix(answer_prefix, need));
    if (words.empty()) return false;
  } else {
    return !find_command(need).empty();
  }
  try {
    return !run_and_read(std::move(words)).empty() || !need.starts_with(answer_prefix);
  } catch (const child_failure&) {
    return false;
  }
}

std::string toolchains::run_and_read(std::vector<std::string> words) const {
  return run_program({.words = std::move(words), .environment = environment_, .time_limit = answer_time_limit});
}

std::string toolchains::identity(const std::string& need) {
  const auto known = identities_.find(need);
  if (known != identities_.end()) return known->second;
  checksum sum;
  if (need.starts_with(module_prefix)) {
    const std::string module = remove_prefix(module_prefix, need);
    sum.write(run_and_read({"pkg-config", "--modversion", "--cflags", "--libs", "--static", module}));
    // A library under development changes without a new version.
    if (module == "freshet") {
      add_folder(sum, fs::path{run_and_read({"pkg-config", "--variable=includedir", module})} / "freshet");
      const fs::path libraries = run_and_read({"pkg-config", "--variable=libdir", module});
      for (const std::string_view name : {"libfreshet.a", "libfreshet.so"})
        if (fs::exists(libraries / name)) add_file(sum, libraries / name);
    }
  } else if (need.starts_with(answer_prefix)) {
    sum.write(run_and_read(split_words(remove_prefix(answer_prefix, need))));
  } else if (!need.starts_with(header_prefix) && !need.starts_with(library_prefix)) {
    const fs::path file = fs::canonical(find_command(need));
    sum.write(fmt::format("{} {} {}", file.string(), fs::file_size(file),
                          fs::last_write_time(file).time_since_epoch().count()));
  }
  return identities_.emplace(need, std::to_string(sum.value())).first->second;
}

peer_builder::peer_builder(const fs::path& peers, fs::path cache, double time_limit)
    : common_{peers / "common"}, cache_{std::move(cache)}, time_limit_{time_limit}, tools_{make_build_environment()} {}

std::string peer_builder::fingerprint(const peer& of, const peer_toolchain& with) {
  checksum sum;
  sum.write(fmt::format("{}\n{}\n{}\n", of.folder.string(), common_.string(), with.build));
  for (const std::string& need : with.needs) sum.write(tools_.identity(need));
  try {
    add_folder(sum, of.folder, "peer.toml");
  } catch (const std::system_error& unreadable) {
    throw child_failure{unreadable.what(), {}};
  }
  add_folder(sum, common_);
  return fmt::format("{:016x}", sum.value());
}

built_peer peer_builder::build(const peer& of, const peer_toolchain& with) {
  built_peer result;
  result.folder = cache_ / fmt::format("{}-{}", of.name, fingerprint(of, with));
  const auto fill_in = [&](std::string text, const auto& as) {
    text = replaced(std::move(text), "{source}", as(of.folder.string()));
    text = replaced(std::move(text), "{common}", as(common_.string()));
    return replaced(std::move(text), "{out}", as(result.folder.string()));
  };
  for (const std::string& word : with.run)
    result.run.push_back(fill_in(word, [](const std::string& path) { return path; }));
  const folder_lock lock{result.folder, time_limit_};
  if (!fs::exists(result.folder / built_mark)) {
    empty(result.folder);
    if (!with.build.empty()) {
      const stopwatch watch;
      run_line(fill_in(with.build, quote_for_shell), result.folder);
      result.seconds = watch.seconds();
    }
    remove_unused_builds(of);
  }
  std::ofstream{result.folder / built_mark} << with.build << '\n';  // its time is the time of the last use
  return result;
}

void peer_builder::run_line(const std::string& line, const fs::path& folder) const {
  child_call call{
      .words = {"sh", "-c", line}, .directory = folder, .environment = tools_.environment(), .time_limit = time_limit_};
  // The peer finds a shared library where it was linked.
  if (const fs::path packages = own_package_directory(); !packages.empty())
    call.environment.push_back("LD_RUN_PATH=" + packages.parent_path().string());
  run_program(call);
}

// Removes builds of other states of the peer that have not run for a week.
void peer_builder::remove_unused_builds(const peer& of) const {
  const std::string prefix = of.name + "-";
  for (const fs::directory_entry& each : fs::directory_iterator{cache_}) {
    const std::string name = each.path().filename();
    std::error_code none;
    const auto used = fs::last_write_time(each.path() / built_mark, none);
    const bool is_build_of_it = name.starts_with(prefix) && name.size() == prefix.size() + fingerprint_length;
    if (!is_build_of_it || none || fs::file_time_type::clock::now() - used < kept_unused) continue;
    fs::remove_all(each.path(), none);
  }
}

}  // namespace freshet::tool

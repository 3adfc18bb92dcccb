#include "tool/peer/building.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/clock.hpp"
#include "tool/peer/child.hpp"
#include "tool/peer/places.hpp"
#include "tool/peer/sha256.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view built_mark = ".built";
constexpr std::string_view lock_name = ".lock";
constexpr std::size_t digits_shown = 16;  // of the fingerprint, in a folder's name
constexpr auto kept_unused = std::chrono::hours{7 * 24};

// Builds link the same freshet library as this command.
std::vector<std::string> make_build_environment() {
  std::string packages = own_package_directory();
  if (packages.empty()) return merge_environment({});
  if (const auto others = detail::os::secure_environment("PKG_CONFIG_PATH")) packages += ":" + *others;
  return merge_environment({"PKG_CONFIG_PATH=" + packages});
}

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// Locks a folder against other processes as long as this object lives.
class folder_lock {
 public:
  explicit folder_lock(const fs::path& folder, double timeout) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw error{failure, "create the directory", folder};
    lock_ = detail::os::file::open(folder / lock_name,
                                   {.what = detail::os::open_request::disposition::create, .read = true}, failure);
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

}  // namespace

peer_builder::peer_builder(const fs::path& peers, fs::path cache, double time_limit)
    : common_{peers / "common"}, cache_{std::move(cache)}, time_limit_{time_limit}, tools_{make_build_environment()} {}

std::string peer_builder::fingerprint(const peer& of, const peer_toolchain& with) {
  sha256 sum;
  sum.write(fmt::format("{}\n{}\n{}\n", of.folder.string(), common_.string(), with.build));
  for (const std::string& need : with.needs) sum.write(tools_.identity(need));
  try {
    sum.write_folder(of.folder, "peer.toml");
  } catch (const std::system_error& unreadable) {
    throw child_failure{unreadable.what(), {}};
  }
  sum.write_folder(common_);
  return sum.digits();
}

built_peer peer_builder::build(const peer& of, const peer_toolchain& with) {
  built_peer result;
  result.folder = cache_ / fmt::format("{}-{}", of.name, fingerprint(of, with).substr(0, digits_shown));
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
  child shell{call, child::connection::listen};
  shell.wait_for_success();
}

// Removes builds of other states of the peer that have not run for a week.
void peer_builder::remove_unused_builds(const peer& of) const {
  const std::string prefix = of.name + "-";
  for (const fs::directory_entry& each : fs::directory_iterator{cache_}) {
    const std::string name = each.path().filename();
    std::error_code none;
    const auto used = fs::last_write_time(each.path() / built_mark, none);
    const bool is_build_of_it = name.starts_with(prefix) && name.size() == prefix.size() + digits_shown;
    if (!is_build_of_it || none || fs::file_time_type::clock::now() - used < kept_unused) continue;
    fs::remove_all(each.path(), none);
  }
}

}  // namespace freshet::tool

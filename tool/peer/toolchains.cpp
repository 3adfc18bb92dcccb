#include "tool/peer/toolchains.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "tool/peer/child.hpp"
#include "tool/peer/sha256.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view module_prefix = "pkg-config:";
constexpr std::string_view header_prefix = "header:";
constexpr std::string_view answer_prefix = "answer:";
constexpr double answer_time_limit = 30;  // seconds

std::string remove_prefix(std::string_view prefix, const std::string& need) { return need.substr(prefix.size()); }

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream words{line};
  return {std::istream_iterator<std::string>{words}, {}};
}

}  // namespace

fs::path find_command(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    fs::path file = fs::path{rest.substr(0, colon)} / name;
    std::error_code none;
    if (fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

const peer_toolchain* toolchains::find(const peer& of) {
  for (const peer_toolchain& each : of.toolchains)
    if (std::ranges::all_of(each.needs, [&](const std::string& need) { return has(need); })) return &each;
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

// The end of a command's output.
std::string toolchains::run_and_read(std::vector<std::string> words) const {
  child command{
      {.words = std::move(words), .directory = "/", .environment = environment_, .time_limit = answer_time_limit},
      child::connection::listen};
  command.wait_for_success();
  return command.last_words();
}

std::string toolchains::identity(const std::string& need) {
  const auto known = identities_.find(need);
  if (known != identities_.end()) return known->second;
  sha256 sum;
  if (need.starts_with(module_prefix)) {
    const std::string module = remove_prefix(module_prefix, need);
    sum.write(run_and_read({"pkg-config", "--modversion", "--cflags", "--libs", "--static", module}));
    // A library under development changes without a new version.
    if (module == "freshet") {
      sum.write_folder(fs::path{run_and_read({"pkg-config", "--variable=includedir", module})} / "freshet");
      const fs::path libraries = run_and_read({"pkg-config", "--variable=libdir", module});
      for (const std::string_view name : {"libfreshet.a", "libfreshet.so"})
        if (fs::exists(libraries / name)) sum.write_file(libraries / name);
    }
  } else if (need.starts_with(answer_prefix)) {
    sum.write(run_and_read(split_words(remove_prefix(answer_prefix, need))));
  } else if (!need.starts_with(header_prefix)) {
    const fs::path file = fs::canonical(find_command(need));
    sum.write(fmt::format("{} {} {}", file.string(), fs::file_size(file),
                          fs::last_write_time(file).time_since_epoch().count()));
  }
  return identities_.emplace(need, sum.digits()).first->second;
}

}  // namespace freshet::tool

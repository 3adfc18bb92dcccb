// Finds the peers and the library that they are built with, finds out which of a peer's toolchains are installed, and
// builds peers with them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/peers/peer.hpp"

namespace freshet::tool {

/// The folder of the peers that are installed with this command, else of those in its source tree.
[[nodiscard]] std::filesystem::path default_peers();

/// Where pkg-config finds the library that this command was built with; empty if it no longer exists.
[[nodiscard]] std::filesystem::path own_package_directory();

/// $XDG_CACHE_HOME/freshet/peers, else ~/.cache/freshet/peers. @throws std::runtime_error  if neither is known
[[nodiscard]] std::filesystem::path build_cache();

/// Looks up the tools, modules and headers that peers need, each of them once.
class toolchains {
 public:
  /// `environment`: of the builds, "NAME=value"; its PATH and PKG_CONFIG_PATH decide.
  explicit toolchains(std::vector<std::string> environment) : environment_{std::move(environment)} {}

  /// The first toolchain of which everything is installed, or the first of those `named` so; null if there is none.
  /// @throws interrupted
  [[nodiscard]] const peer_toolchain* find(const peer& of, std::string_view named = {});
  /// Describes what is not installed: "needs cc (Debian: gcc), or mcs, mono (Debian: mono-mcs mono-runtime)".
  /// Precondition: find() is null.
  [[nodiscard]] std::string describe_missing(const peer& of);

  /// A text that differs between versions of `need`. Precondition: it is installed. @throws freshet::error; interrupted
  [[nodiscard]] std::string identity(const std::string& need);

  [[nodiscard]] const std::vector<std::string>& environment() const noexcept { return environment_; }

 private:
  bool has(const std::string& need);
  [[nodiscard]] bool is_installed(const std::string& need) const;
  [[nodiscard]] std::string run_and_read(std::vector<std::string> words) const;

  std::vector<std::string> environment_;
  std::map<std::string, bool> known_;
  std::map<std::string, std::string> identities_;
};

/// A peer that is ready to run.
struct built_peer {
  std::vector<std::string> run;  ///< the options are appended
  std::filesystem::path folder;  ///< where it was built; the peer may leave files in it
  double seconds = 0;            ///< that the build took; 0: it was built before
};

/// Builds peers below a cache directory, once for each state of a peer's sources, build line and tools: each state has
/// a folder of its own.
class peer_builder {
 public:
  /// `peers`: the folder of the peers and of `common`. `time_limit`: seconds that a build may take.
  peer_builder(const std::filesystem::path& peers, std::filesystem::path cache, double time_limit);

  [[nodiscard]] toolchains& tools() noexcept { return tools_; }

  /// Builds `of` with the toolchain `with`, or finds it built. Precondition: tools().find() returned `with`.
  /// @throws child_failure  with the last output of the build; freshet::error; interrupted
  [[nodiscard]] built_peer build(const peer& of, const peer_toolchain& with);

 private:
  [[nodiscard]] std::string fingerprint(const peer& of, const peer_toolchain& with);
  void run_line(const std::string& line, const std::filesystem::path& folder) const;
  void remove_unused_builds(const peer& of) const;

  std::filesystem::path common_;
  std::filesystem::path cache_;
  double time_limit_;
  toolchains tools_;
};

}  // namespace freshet::tool

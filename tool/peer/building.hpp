// Builds peers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tool/peer/toolchains.hpp"

namespace freshet::tool {

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

  /// Builds `of` with the toolchain `with`, or finds it built. Precondition: tools().find(of) is `with`.
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

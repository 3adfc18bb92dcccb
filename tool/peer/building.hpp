// Peers made ready to run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tool/peer/toolchains.hpp"

namespace freshet::tool {

/// A peer that can be run.
struct built_peer {
  std::vector<std::string> run;  ///< the options are appended
  std::filesystem::path folder;  ///< it was built into, and may leave what it likes in
  double seconds = 0;            ///< that its building took; 0: it was there
};

/// Builds peers below a cache directory, each in a folder of its own for each state of its sources, its build line and
/// what it needs: once.
class peer_builder {
 public:
  /// `peers`: the folder that holds them, and `common`.
  peer_builder(const std::filesystem::path& peers, std::filesystem::path cache, double time_limit);

  [[nodiscard]] toolchains& tools() noexcept { return tools_; }

  /// Precondition: tools().find(of) is `with`. @throws child_failure with the last words of what fails; freshet::error;
  /// interrupted
  [[nodiscard]] built_peer build(const peer& of, const peer_toolchain& with);

 private:
  [[nodiscard]] std::string fingerprint(const peer& of, const peer_toolchain& with);
  void run_line(const std::string& line, const std::filesystem::path& folder) const;
  void forget_older(const peer& of) const;

  std::filesystem::path common_;
  std::filesystem::path cache_;
  double time_limit_;
  toolchains tools_;
};

}  // namespace freshet::tool

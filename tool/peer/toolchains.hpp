// Finds out which of a peer's toolchains are installed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/peer/peer.hpp"

namespace freshet::tool {

/// Looks up the tools, modules and headers that peers need, each of them once.
class toolchains {
 public:
  /// `environment`: of the builds, "NAME=value"; its PATH and PKG_CONFIG_PATH decide.
  explicit toolchains(std::vector<std::string> environment) : environment_{std::move(environment)} {}

  /// The first toolchain of which everything is installed; null if there is none. @throws interrupted
  [[nodiscard]] const peer_toolchain* find(const peer& of);
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

/// The file in PATH that a command's name stands for; empty if there is none.
[[nodiscard]] std::filesystem::path find_command(const std::string& name);

}  // namespace freshet::tool

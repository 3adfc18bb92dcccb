// Which of a peer's toolchains are here.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/peer/peer.hpp"

namespace freshet::tool {

/// Looks for what peers need, each thing once.
class toolchains {
 public:
  /// `environment`: that of the builds ("NAME=value"), whose PATH and PKG_CONFIG_PATH count.
  explicit toolchains(std::vector<std::string> environment) : environment_{std::move(environment)} {}

  /// The first of which everything is here; null where there is none. @throws interrupted
  [[nodiscard]] const peer_toolchain* find(const peer& of);
  /// "needs cc (Debian: gcc), or mcs, mono (Debian: mono-mcs mono-runtime)": what is not here. Precondition: find() is
  /// null.
  [[nodiscard]] std::string missing(const peer& of);

  /// What tells a thing that is needed, and is here, from another version of it. @throws freshet::error; interrupted
  [[nodiscard]] std::string identity(const std::string& need);

  [[nodiscard]] const std::vector<std::string>& environment() const noexcept { return environment_; }

 private:
  bool has(const std::string& need);
  [[nodiscard]] bool look_for(const std::string& need) const;
  [[nodiscard]] std::string answer_of(std::vector<std::string> words) const;

  std::vector<std::string> environment_;
  std::map<std::string, bool> known_;
  std::map<std::string, std::string> identities_;
};

/// The file that a command's name stands for in PATH; empty where there is none.
[[nodiscard]] std::filesystem::path find_command(const std::string& name);

}  // namespace freshet::tool

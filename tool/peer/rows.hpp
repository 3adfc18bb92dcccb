// Which peers there are, and which of them a run is about.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tool/peer/peer.hpp"
#include "tool/peer/peer_trial.hpp"

namespace freshet::tool {

/// A peer, or a variant of one, and what became of it.
struct peer_row {
  std::string name;  ///< "c-write", "cpp-ladder/rung-0"
  std::string family;
  std::string language;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;
  std::vector<std::string> arguments;
  std::size_t of = 0;                  ///< its peer's place in the catalogue; of a broken one without a meaning
  std::string left_out;                ///< why it cannot be measured here, or as asked; no failure
  std::string failure;                 ///< why it was not measured, or not to the end
  std::string last_words;              ///< of what failed; lines
  double build_seconds = 0;            ///< 0: it was built before
  bool checked = false;                ///< it wrote what it should
  std::optional<double> system_calls;  ///< for each MiB
  std::vector<peer_trial> trials;

  [[nodiscard]] bool goes_on() const noexcept { return left_out.empty() && failure.empty(); }
};

/// All peers of a folder.
struct peer_catalogue {
  std::vector<peer> peers;
  std::vector<peer_row> rows;  ///< by name
};

/// Reads the manifests in `folder`; one that is broken has a row that failed, too.
/// @throws freshet::error  where the folder cannot be read, or has no peer
[[nodiscard]] peer_catalogue read_peers(const std::filesystem::path& folder);

/// Keeps the rows of the families, peers and variants named in `only`, all if it is empty, with the workload asked for.
/// Of those that do not support what is asked for, says so in them. @throws std::invalid_argument  for a name that is
/// none of them
void select_rows(peer_catalogue& from, const std::vector<std::string>& only, const peer_request& wanted);

}  // namespace freshet::tool

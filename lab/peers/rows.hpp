// The catalogue of peers, and the selection that a run measures.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/peers/peer.hpp"
#include "lab/peers/peer_trial.hpp"
#include "tool/search/candidate_figures.hpp"

namespace freshet::tool {

/// A peer or a variant of one, and its results.
struct peer_row {
  std::string name;  ///< "c-write", "cpp-ofstream-ladder/rung-0"
  std::string family;
  std::string language;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;
  std::string method;        ///< by which it must write, without options
  std::uint64_t buffer = 0;  ///< bytes, by default; 0: it chooses
  std::vector<std::string> arguments;
  std::string toolchain;        ///< the name of the only one that it is built with; empty: the first that is there
  std::size_t peer_index = 0;   ///< of its peer in the catalogue; meaningless if the manifest is broken
  std::string left_out;         ///< why it cannot be measured here or with these options; not a failure
  std::string failure = {};     ///< why measuring it failed
  std::string last_words = {};  ///< the last lines of the output of what failed
  double build_seconds = 0;     ///< seconds; 0: it was built before
  bool checked = false;         ///< its file had the right content
  std::optional<double> system_calls = {};  ///< per MiB
  candidate measured = {};                  ///< with its name as the method
  std::vector<double> start_seconds = {};   ///< of each trial, until it was ready to work
  std::set<std::string> why_not_cold = {};  ///< why trials have no cold read

  [[nodiscard]] bool is_active() const noexcept { return left_out.empty() && failure.empty(); }
  [[nodiscard]] bool has_usable_trial() const { return count_usable(measured) > 0; }
  void add(const peer_trial& trial);
};

/// The peers of a folder.
struct peer_catalogue {
  std::vector<peer> peers;
  std::vector<peer_row> rows;  ///< by name
};

/// Returns the method by which the peer must write if it is asked so: its own, or past the page cache.
[[nodiscard]] std::string method_of(const peer_row& row, const peer_request& wanted);

/// Reads the manifests in `folder`. A broken manifest becomes a row with a failure.
/// @throws freshet::error  if the folder cannot be read or has no peer
[[nodiscard]] peer_catalogue read_peers(const std::filesystem::path& folder);

/// Keeps the rows of the families, peers and variants named in `only` (empty: all) that have the wanted workload.
/// Leaves out those that lack a wanted option, with the reason in the row. @throws std::invalid_argument  for an
/// unknown name
void select_rows(peer_catalogue& from, const std::vector<std::string>& only, const peer_request& wanted);

}  // namespace freshet::tool

// What a peer's manifest, peer.toml, says: a program that writes what freshet writes, in another language or by another
// library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// How a program is written, and with what.
enum class peer_kind : std::uint8_t { naive, standard, system, library, freshet };
[[nodiscard]] std::string_view to_string(peer_kind what);

/// Something to build a peer with, and how it is run then.
struct peer_toolchain {
  std::vector<std::string> needs;  ///< commands in PATH, "pkg-config:MODULE", "header:NAME", "answer:WORDS"
  std::string package;             ///< the Debian packages that bring them
  std::string build;               ///< a line for `sh`; empty: nothing to build
  std::vector<std::string> run;    ///< the options are appended
};

/// One way to call it.
struct peer_variant {
  std::string name;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;  ///< some of its peer's
  std::vector<std::string> arguments;
};

/// A peer's folder.
struct peer {
  std::filesystem::path folder;
  std::string name;
  std::string family;
  std::string language;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;
  std::set<std::string> options;
  std::uint64_t buffer = 0;  ///< bytes; 0: it says none
  std::string platform;      ///< empty: any
  std::vector<peer_toolchain> toolchains;
  std::vector<peer_variant> variants;
};

/// What the peer.toml of `folder` says, which is `text`. Nothing is guessed at: unknown keys and wrong types are
/// errors.
/// @throws freshet::error  naming the file, the line and the key
[[nodiscard]] peer parse_peer(std::string_view text, const std::filesystem::path& folder);

/// Reads the folder's peer.toml. @throws freshet::error  as parse_peer(), and where it cannot be read
[[nodiscard]] peer read_peer(const std::filesystem::path& folder);

}  // namespace freshet::tool

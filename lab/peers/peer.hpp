// A peer's manifest, peer.toml. A peer is a program that writes the same files as freshet, in another language or with
// another library.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/enum_names.hpp"

namespace freshet::tool {

/// The kind of a program: naive, with the standard library, with system calls, with another library, with freshet.
enum class peer_kind : std::uint8_t { naive, standard, system, library, freshet };
template <>
inline constexpr auto enum_names<peer_kind> = std::to_array<std::string_view>({"naive", "standard", "system", "library",
                                                                               "freshet"});

/// A way to build a peer, and to run it then.
struct peer_toolchain {
  std::string name;  ///< of a row of its own, where an earlier toolchain is there, too; empty: it has none
  std::vector<std::string>
      needs;            ///< commands in PATH, "pkg-config:MODULE", "header:NAME", "library:NAME", "answer:WORDS"
  std::string package;  ///< the Debian packages that provide them
  std::string build;    ///< a line for `sh`; empty: nothing to build
  std::vector<std::string> run;  ///< the options are appended
};

/// Figures that were published for a similar program, in MB/s of 2^20 bytes, and what they are of. Several may be in
/// one row of their table: those of other options and sizes.
struct published_row {
  std::string peer;   ///< the name of the peer or variant that corresponds to the program
  std::string table;  ///< "programs", "ladder" or "bytes"
  std::uint64_t row = 0;
  std::string name;
  std::vector<std::string> then;       ///< as people read them: "255 @ 100 %"; "-": not published
  std::uint64_t changes = 0;           ///< ladder: the row of the program that this one changes
  std::uint64_t size = 0;              ///< bytes of the published files
  std::set<std::string> options = {};  ///< as options_of() names them, without "buffer"
  std::uint64_t buffer = 0;            ///< bytes; 0: it does not matter
  std::uint64_t calls = 0;             ///< ladder: write calls per MB; 0: not published
};

/// A variant of a peer: the same program with other arguments.
struct peer_variant {
  std::string name;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;  ///< a subset of its peer's
  std::string method;               ///< its own, or its peer's
  std::uint64_t buffer = 0;         ///< the same
  std::vector<std::string> arguments;
};

/// A peer, as its folder describes it.
struct peer {
  std::filesystem::path folder;
  std::string name;
  std::string family;
  std::string language;
  std::string title;
  peer_kind kind = peer_kind::standard;
  std::set<std::string> workloads;
  std::set<std::string> options;
  std::string method;  ///< "buffered", "direct", "uring", "mmap"; "auto": the one that the program's library chooses
  std::uint64_t buffer = 0;  ///< bytes; 0: the manifest does not say
  std::string platform;      ///< empty: any platform
  std::vector<peer_toolchain> toolchains;
  std::vector<peer_variant> variants;
  std::vector<published_row> published;  ///< its own, and those of its variants
};

/// Parses `text`, the peer.toml of `folder`. Unknown keys and wrong types are errors.
/// @throws freshet::error  naming the file, the line and the key
[[nodiscard]] peer parse_peer(std::string_view text, const std::filesystem::path& folder);

/// Reads the folder's peer.toml. @throws freshet::error  as parse_peer(), and if the file cannot be read
[[nodiscard]] peer read_peer(const std::filesystem::path& folder);

}  // namespace freshet::tool

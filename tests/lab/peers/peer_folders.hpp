// Peers that tests make as shell scripts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet::test {

/// A manifest of a script, main.sh.
inline std::string manifest_of(const std::string& name) {
  return "name = \"" + name + "\"\nfamily = \"shell\"\nlanguage = \"sh\"\ntitle = \"a script\"\nkind = \"naive\"\n" +
         "workloads = [\"text\"]\noptions = [\"sequential\"]\n[[toolchain]]\nneeds = [\"sh\"]\npackage = \"dash\"\n" +
         "run = [\"sh\", \"{source}/main.sh\"]\n";
}

/// A script's beginning: knows its $file and $size, and has `handshake WORD`.
constexpr auto script_begin = R"(while [ $# -gt 0 ]; do
  case $1 in
    --file) file=$2; shift 2 ;;
    --size) size=$2; shift 2 ;;
    --sequential | --no-cache) shift ;;
    *) shift 2 ;;
  esac
done
handshake() { echo "$1"; read -r line || true; }
write_text() {
  awk -v size="$1" 'BEGIN {
    split("Jack,Justin Michel,Fred Flintstone,Barney Rubble,Homer J. Simpson,John Jacob Jingleheimer Schmidt", names, ",")
    for (n = 1; ; ++n) {
      line = substr("\t\t\t\t\t\t\t", 1, n % 8) "All work and no play makes " names[n % 6 + 1] " a dull boy."
      size -= length(line) + 1
      if (size < 0) exit
      print line
    }
  }'
}
)";

/// A script that works.
constexpr auto good_script = "handshake ready\nwrite_text \"$size\" > \"$file\"\nhandshake closed\n";

/// A folder of peers.
class peer_folders {
 public:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path(); }

  /// Adds or replaces one. `script`: what it does after its beginning; empty: none.
  void add(const std::string& name, const std::string& script = good_script, const std::string& manifest = {}) const {
    std::filesystem::create_directories(path() / name);
    std::ofstream{path() / name / "peer.toml"} << (manifest.empty() ? manifest_of(name) : manifest);
    if (!script.empty()) std::ofstream{path() / name / "main.sh"} << script_begin << script;
  }

 private:
  temporary_directory folder_;
};

/// The words of a call that measures little in `place`; an option in `more` replaces the usual one.
inline std::vector<std::string> peers_words(const std::filesystem::path& place, const peer_folders& peers,
                                            const std::vector<std::string>& more) {
  std::vector<std::string> words{"peers", place, "--peers", peers.path()};
  const std::vector<std::pair<std::string, std::string>> usual{
      {"--size", "100K"}, {"--rounds", "1"}, {"--memory", "reused"}};
  for (const auto& [name, value] : usual)
    if (std::find(more.begin(), more.end(), name) == more.end()) words.insert(words.end(), {name, value});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A command that measures peers that the test makes, and a cache for the programs built from them.
class peers_fixture : public measuring_command {
 protected:
  peers_fixture() : measuring_command{undisturbed_place()} {
    ::setenv("XDG_CACHE_HOME", (private_ / "cache").c_str(), 1);
  }

  [[nodiscard]] ended run_in(const std::filesystem::path& place, const std::vector<std::string>& more) const {
    return freshet_.run(peers_words(place, peers_, more));
  }
  [[nodiscard]] ended run(const std::vector<std::string>& more = {}) const { return run_in(directory(), more); }

  temporary_directory private_;
  peer_folders peers_;
};

/// `text` with its first `part` replaced by `by`.
inline std::string with(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

}  // namespace freshet::test

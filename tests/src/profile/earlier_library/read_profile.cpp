// read_profile FILE: what the library of an earlier commit reads in a profile; its warnings go to standard error.
// Compiled with that commit's sources.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "src/profile/profile_text.hpp"

namespace {

template <typename Settings>
void print(const char* name, const Settings& settings) {
  if (settings)
    std::printf("%s %s %zu %u '%s'\n", name, settings->method.c_str(), settings->block, settings->depth,
                settings->provisional.c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::ifstream in{words[1], std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto read = freshet::detail::parse_profile(text, words[1]);
  for (const auto& [key, entry] : read.file_systems) {
    std::printf("%s %s %s\n", key.c_str(), entry.type.c_str(), entry.measured.c_str());
    print("none", entry.winners[0]);
    print("at_close", entry.winners[1]);
    print("each_write", entry.winners[2]);
    print("cold", entry.cold);
    print("warm", entry.warm);
  }
  for (const auto& warning : read.warnings) std::fprintf(stderr, "%s\n", warning.c_str());
}

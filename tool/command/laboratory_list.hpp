// What the build knows of the laboratory. tool/CMakeLists.txt writes the source.
#pragma once

#include <span>
#include <string_view>

namespace freshet::tool {

struct laboratory_command {
  std::string_view name;
  std::string_view summary;
};

/// The commands of the laboratory, in the order of the help: the list lab/abilities.cmake.
[[nodiscard]] std::span<const laboratory_command> laboratory_commands();
/// The names of those that this system lacks.
[[nodiscard]] std::span<const std::string_view> laboratory_commands_of_linux();

/// The way from the directory of an installed freshet to the one that has its freshet-lab.
[[nodiscard]] std::string_view path_to_libexec();
/// The directory that this build is in, whose target builds freshet-lab; empty if freshet has to be installed.
[[nodiscard]] std::string_view build_directory();

}  // namespace freshet::tool

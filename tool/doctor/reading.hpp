// The parts of read_machine_facts(). What they cannot look at, they add to `unseen`.
#pragma once

#include <filesystem>
#include <vector>

#include "src/os/mount_table.hpp"
#include "tool/doctor/facts.hpp"

namespace freshet::tool {

using unseen_facts = std::vector<unseen_fact>;

[[nodiscard]] processor_facts read_processors(const system_roots& roots, unseen_facts& unseen);
[[nodiscard]] memory_facts read_memory(const system_roots& roots, unseen_facts& unseen);
[[nodiscard]] interface_facts read_interfaces(const system_roots& roots);
/// @throws freshet::error  if `directory` does not exist or is none
[[nodiscard]] storage_facts read_storage(const std::filesystem::path& directory, const system_roots& roots,
                                         unseen_facts& unseen);

[[nodiscard]] watcher_facts read_watchers(const std::filesystem::path& directory, const system_roots& roots,
                                          unseen_facts& unseen);

/// The mount that `path` lies on: the one that is mounted deepest, and of several there the latest.
[[nodiscard]] detail::os::mount_entry find_mount_above(const std::filesystem::path& path,
                                                       const std::filesystem::path& proc);

/// Whether the roots are this machine's, so that what is measured on it belongs to what they say.
[[nodiscard]] bool are_of_this_machine(const system_roots& roots);

/// Why a file cannot be read, for people: "it does not exist", "Permission denied". Empty if it can be.
[[nodiscard]] std::string why_unreadable(const std::filesystem::path& file);

}  // namespace freshet::tool

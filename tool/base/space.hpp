// Whether there is room for what is about to be written: on the disk, and in what the user allows.
#pragma once

#include <cstdint>
#include <filesystem>

namespace freshet::tool {

/// Asks whether `bytes` fit the free space of `directory`. @throws freshet::error  where they don't, saying how much
/// there is, and that --force goes ahead nevertheless
void require_space(const std::filesystem::path& directory, std::uint64_t bytes);

/// Refuses to write `bytes` in `place`, a directory or a file, where they are more than the `most` that --max-bytes
/// allows. @throws freshet::error
void require_budget(const std::filesystem::path& place, std::uint64_t bytes, std::uint64_t most);

}  // namespace freshet::tool

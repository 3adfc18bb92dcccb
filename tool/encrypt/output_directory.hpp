// The directory that the output goes to: what may be there already, and who is at work in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "src/os/file.hpp"
#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {

/// What becomes of what is there.
enum class if_there : std::uint8_t {
  refuse,   ///< nothing may be there
  replace,  ///< files of the same names are removed first
  resume,   ///< what the same run finished stays, all else is done
};

/// @throws freshet::error  where one of the two is the other, or lies in it
void require_apart(const std::filesystem::path& in, const std::filesystem::path& out);

/// The output's directory while one run works in it; another one is refused meanwhile.
class output_directory {
 public:
  /// Makes the directory where it is missing, and ready for what `wanted` says, whose manifest is in it from now on.
  /// @throws freshet::error  when it can't be used: something is there, another run is at work, or what is to be
  /// continued was another run
  output_directory(std::filesystem::path path, const manifest& wanted, if_there what);

  /// The files that are yet to be made.
  [[nodiscard]] const std::vector<input_file>& unfinished() const noexcept { return unfinished_; }

 private:
  void require_room_for(if_there what) const;
  void lock();
  void begin(const manifest& wanted, if_there what);
  void require_removable(const manifest& wanted) const;
  void remove_leftovers() const;
  void save(const manifest& made);

  std::filesystem::path path_;
  detail::os::file lock_;
  std::vector<input_file> unfinished_;
};

/// Those of `files` that are not in `directory`.
[[nodiscard]] std::vector<input_file> missing_in(const std::filesystem::path& directory,
                                                 const std::vector<input_file>& files);

}  // namespace freshet::tool

// The directory of the output: what may be in it already, and the lock that keeps other runs out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "lab/encrypt/manifest.hpp"
#include "src/os/file.hpp"

namespace freshet::tool {

/// What to do if the directory is not empty.
enum class existing_output : std::uint8_t {
  refuse,   ///< fail
  replace,  ///< remove files of the same names first
  resume,   ///< keep the files that the same run finished, and make the others
};

/// @throws freshet::error  if one of the directories is the other one, or lies in it
void require_apart(const std::filesystem::path& in, const std::filesystem::path& out);

/// The directory of the output, locked: another run that wants it fails.
class output_directory {
 public:
  /// Creates the directory if it is missing, prepares it for the run that `wanted` describes, and writes its manifest.
  /// @throws freshet::error  if `policy` does not allow what is in it, another run is using it, or it belongs to a
  /// different run than the one to be continued
  output_directory(std::filesystem::path path, const manifest& wanted, existing_output policy);

  /// The files that are still to be made.
  [[nodiscard]] const std::vector<input_file>& unfinished() const noexcept { return unfinished_; }
  /// How many of them were finished, but have another size or time than when the last run ended, or a size that no
  /// output of their input has. They are removed.
  [[nodiscard]] std::size_t changed() const noexcept { return changed_; }

  /// Enters size and time of all files that are finished now in the manifest. To be called when the run ends.
  /// @throws freshet::error
  void record_outputs(const manifest& wanted);

 private:
  void check_content(existing_output policy) const;
  void lock();
  void begin(const manifest& wanted, existing_output policy);
  void remove_changed(const manifest& earlier);
  void require_removable(const manifest& wanted) const;
  void remove_leftovers() const;
  void save(const manifest& content);

  std::filesystem::path path_;
  detail::os::file lock_;
  std::vector<input_file> unfinished_;
  std::size_t changed_ = 0;
};

/// The entries of `files` that `directory` does not have.
[[nodiscard]] std::vector<input_file> find_missing(const std::filesystem::path& directory,
                                                   const std::vector<input_file>& files);

}  // namespace freshet::tool

// Whole surroundings in which programs may find themselves: a changed root, a container, a poor file system, limits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace freshet::test {

inline constexpr uid_t nobody = 65534;

/// What data may meet in a surrounding.
enum class data_fate : std::uint8_t {
  arrives,    ///< an error of the data would be a fault
  may_fail,   ///< EIO, ENOSPC, EDQUOT or EFBIG is right
  must_fail,  ///< and a file of more than a MiB cannot be written without one
};

/// A surrounding as it was made, in a process of its own that has a mount namespace of its own where it is root.
struct made_surrounding {
  std::string why_not = {};               ///< it cannot be made here; empty if it was
  std::filesystem::path directory = {};   ///< empty, for the files of trials
  std::filesystem::path inside = {};      ///< the same as programs find it there; empty: under the same name
  std::filesystem::path home = {};        ///< of the user, as programs find it; empty: a directory beside `inside`
  std::function<bool()> enter = nullptr;  ///< puts the calling process into it for good; null: it is there already
  std::function<bool()> limit = nullptr;  ///< and then limits it, as the user that it is there
  std::shared_ptr<void> kept = nullptr;   ///< lasts as long as the surrounding
  data_fate fate = data_fate::arrives;
  bool may_refuse_open = false;  ///< open() itself may fail there for every file
  bool refuses_late = false;     ///< what a program named may be refused after open(): only the call itself tells
  bool starves = false;          ///< takes descriptors or memory, without which a command may not even start
  bool is_of_nobody = false;     ///< programs run as the user nobody, to whom the files belong

  [[nodiscard]] const std::filesystem::path& place() const { return inside.empty() ? directory : inside; }
};

struct surrounding {
  std::string name;
  std::function<made_surrounding(const std::filesystem::path& scratch)> make;
  bool needs_root = true;
};

[[nodiscard]] std::vector<surrounding> confined_surroundings();
[[nodiscard]] std::vector<surrounding> poor_file_systems();
[[nodiscard]] std::vector<surrounding> small_limits();
/// All of these.
[[nodiscard]] std::vector<surrounding> all_surroundings();

/// Runs `work` in a process of its own that has a mount namespace of its own where it is root, so that what it mounts
/// goes with it. Returns what `work` returned, and how the process ended if that was not by its end.
[[nodiscard]] std::string say_in_child(const std::function<std::string()>& work);

/// Makes the surrounding below `scratch`, an empty directory that everybody may enter, and runs `work` beside it, as
/// say_in_child(). Returns what `work` returned, or '?' and why there is no such surrounding here.
[[nodiscard]] std::string say_beside(const surrounding& one, const std::filesystem::path& scratch,
                                     const std::function<std::string(const made_surrounding&)>& work);

/// Puts the calling process into the surrounding for good; returns whether that could be done.
[[nodiscard]] bool enter(const made_surrounding& made);

}  // namespace freshet::test

// The systemd unit by which a campaign goes on after each boot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace freshet::tool {

inline constexpr const char* unit_name = "freshet-campaign.service";
inline constexpr const char* usual_unit_directory = "/etc/systemd/system";
/// A word for the kernel's command line that keeps campaigns from going on.
inline constexpr const char* kernel_word = "freshet.campaign=off";

/// The unit's text. `words` is the command line that it starts; while the file `stop` exists, it does nothing.
[[nodiscard]] std::string format_unit(const std::string& campaign, const std::vector<std::string>& words,
                                      const std::filesystem::path& store, const std::filesystem::path& stop);

/// Writes the unit to `directory` and has it started at boot (a link in multi-user.target.wants). All is on the disk
/// when this returns. @return  the unit's file. @throws freshet::error  also if there is one of another campaign
std::filesystem::path install_unit(const std::filesystem::path& directory, const std::string& text);
/// Removes both, if they are there. @throws freshet::error
void remove_unit(const std::filesystem::path& file);
/// The link that has `file` started at boot.
[[nodiscard]] std::filesystem::path link_of_unit(const std::filesystem::path& file);

}  // namespace freshet::tool

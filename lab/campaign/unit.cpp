#include "lab/campaign/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "src/os/file.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// The unit's lines are its directives, so nothing that goes into one may have several.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

// systemd.syntax(7): % and $ begin specifiers and variables.
std::string quote_for_unit(std::string_view word) {
  std::string text = replaced(on_one_line(std::string{word}), "\\", "\\\\");
  text = replaced(std::move(text), "\"", "\\\"");
  text = replaced(replaced(std::move(text), "%", "%%"), "$", "$$");
  return '"' + text + '"';
}

// A path in a directive that knows specifiers only.
std::string path_for_unit(const fs::path& path) { return replaced(on_one_line(path.string()), "%", "%%"); }

void require(const std::error_code& failure, std::string_view operation, const fs::path& file) {
  if (failure) throw error{failure, operation, file};
}

void remove_durably(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(file, failure))) return;
  detail::os::remove(file, failure);
  if (failure == std::errc::no_such_file_or_directory) return;
  require(failure, "remove", file);
  detail::os::sync_directory(file.parent_path(), failure);
  require(failure, "sync the directory of", file);
}

}  // namespace

std::string format_unit(const std::string& campaign, const std::vector<std::string>& words, const fs::path& store,
                        const fs::path& stop) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quote_for_unit(word);
  return fmt::format(
      R"(# Written by `freshet campaign start`; `freshet campaign abort` and the campaign's end remove it.
[Unit]
Description=freshet campaign {name}
After=multi-user.target
RequiresMountsFor="{directory}"
ConditionKernelCommandLine=!{word}
ConditionPathExists=!{stop}

[Service]
ExecStart={line}
TimeoutStopSec=20

[Install]
WantedBy=multi-user.target
)",
      fmt::arg("name", replaced(on_one_line(campaign), "%", "%%")),
      fmt::arg("directory", path_for_unit(store.parent_path())), fmt::arg("word", kernel_word),
      fmt::arg("stop", path_for_unit(stop)), fmt::arg("line", line));
}

fs::path link_of_unit(const fs::path& file) { return file.parent_path() / "multi-user.target.wants" / file.filename(); }

fs::path install_unit(const fs::path& directory, const std::string& text) {
  fs::path file = directory / unit_name;
  const fs::path link = link_of_unit(file);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(file, failure)))
    throw error{std::make_error_code(std::errc::file_exists), "install", file, error::no_offset,
                "another campaign may use it; end that one with `freshet campaign abort --store ITS-STORE`"};
  writer out{file, {.method = "buffered", .durability = durability::at_close}};
  out.write(text);
  out.close();
  fs::create_directories(link.parent_path(), failure);
  require(failure, "create", link.parent_path());
  fs::create_symlink(file, link, failure);
  require(failure, "create", link);
  for (const fs::path& changed : {link.parent_path(), directory}) {
    detail::os::sync_directory(changed, failure);
    require(failure, "sync", changed);
  }
  return file;
}

void remove_unit(const fs::path& file) {
  remove_durably(link_of_unit(file));
  remove_durably(file);
}

}  // namespace freshet::tool

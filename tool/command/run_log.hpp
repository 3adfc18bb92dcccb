// What a measuring command does with its trials besides showing them: it keeps them, and writes them for other tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/command/export_option.hpp"
#include "tool/command/options.hpp"
#include "tool/store/record.hpp"
#include "tool/store/store.hpp"

namespace freshet::tool {

/// What the user wants done with the trials.
struct log_options {
  std::filesystem::path store;  ///< empty: default_store()
  bool keep = true;
  wanted_exports exports;
};

/// Adds --store FILE, --no-store and --export KIND FILE.
void add_log_options(command_parser& command, log_options& options);

/// Whether people get words on standard output: not when an export has it for itself.
[[nodiscard]] bool words_on_stdout(const log_options& options);

/// Refuses exports that could not be written. @throws freshet::error
void require_writable(const log_options& options);

/// When a run begins in the store.
enum class log_start : std::uint8_t {
  now,
  /// Looking at the place moves memory about, which whoever measures once, and prepares nothing, must not see.
  with_the_first_trial,
};

/// The trials of one run. Where the store cannot be used it says so once, on standard error, and the run goes on: no
/// function throws for want of a store.
class run_log {
 public:
  /// Opens the store and begins the run. `directory` is where is measured: its environment is read.
  /// @throws freshet::error  where there is no such directory, or an export could not be written; interrupted
  run_log(log_options options, std::string command, std::filesystem::path directory, log_start start = log_start::now);

  /// Keeps it at once.
  void keep(record made);
  /// Notes the end, writes the exports, and says what was not kept and why. A run that came to no finish() has no end
  /// in the store. @throws freshet::error  for an export
  void finish();

  /// Without its environment before it began.
  [[nodiscard]] const run& about() const noexcept { return run_; }

 private:
  void begin();
  template <typename Work>
  void use_store(const Work& work);
  void say(std::string_view words) const;

  log_options options_;
  std::filesystem::path directory_;
  run run_;
  bool begun_ = false;
  std::optional<store> store_;
  std::vector<record> records_;  // where they are to be exported
  std::size_t trials_ = 0;
  std::size_t lost_ = 0;
  std::string why_lost_;
};

}  // namespace freshet::tool

// The log of a measuring command: it stores the trials and exports them for other tools.
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

/// What to do with the trials.
struct log_options {
  std::filesystem::path store;  ///< empty: default_store()
  bool keep = true;             ///< in the store
  wanted_exports exports;
};

/// Adds --store FILE, --no-store and --export KIND FILE.
void add_log_options(command_parser& command, log_options& options);

/// Whether text for people may go to standard output: not when an export goes there.
[[nodiscard]] bool words_on_stdout(const log_options& options);

/// Checks that the exports can be written. @throws freshet::error  otherwise
void require_writable(const log_options& options);

/// When the run begins in the store.
enum class log_start : std::uint8_t {
  now,
  /// For commands that measure once, without a state of memory that they prepare: reading the environment changes the
  /// state of the memory, which must not happen before the measurement.
  with_the_first_trial,
};

/// The log of one run. If the store cannot be used, the log says so once on standard error and the run goes on: no
/// function throws because of the store.
class run_log {
 public:
  /// Opens the store, begins the run and reads the environment of `directory`, in which the command measures.
  /// @throws freshet::error  if the directory does not exist or an export could not be written; interrupted
  run_log(log_options options, std::string command, std::filesystem::path directory, log_start start = log_start::now);

  /// Stores the trial at once.
  void keep(record trial);
  /// Stores the time of the end, writes the exports, and says which trials were not stored and why. Without it, the run
  /// has no end in the store. @throws freshet::error  if an export cannot be written
  void finish();

  /// The run. It has no environment before it has begun.
  [[nodiscard]] const run& about() const noexcept { return run_; }

 private:
  void begin();
  template <typename Work>
  void use_store(const Work& work);
  void print_warning(std::string_view text) const;

  log_options options_;
  std::filesystem::path directory_;
  run run_;
  bool begun_ = false;
  std::optional<store> store_;
  std::vector<record> records_;  // only if they are to be exported
  std::size_t trials_ = 0;
  std::size_t lost_ = 0;
  std::string why_lost_;
};

}  // namespace freshet::tool

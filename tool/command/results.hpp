// Where a command's results go: as text to standard output, as JSON and as exports for other tools to files; and those
// of a measuring command into the store, too.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/base/device_lock.hpp"
#include "tool/command/options.hpp"
#include "tool/command/run_keeper.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// The files that results go to besides standard output. A file called "-" is standard output, which then gets no text
/// for people.
struct result_files {
  std::string json = {};     ///< empty: none
  std::string fio_job = {};  ///< empty: none
  text_pairs exports = {};   ///< kinds of exports, each with its file

  /// Whether text for people may go to standard output.
  [[nodiscard]] bool allow_text() const;
  /// Prints text for people, if it may go to standard output.
  template <typename... Values>
  void print(fmt::format_string<Values...> text, Values&&... values) const {
    if (allow_text()) fmt::print(text, std::forward<Values>(values)...);
  }
  /// The name of one more file. @throws std::invalid_argument  if it is empty, or the second that is standard output
  [[nodiscard]] std::string one_more(std::string_view name) const;
  /// Checks that all files can be written, before anything is measured. @throws freshet::error  otherwise
  void require_writable() const;
  /// Writes the members of `result` and, as "freshet", the version as JSON. @throws freshet::error
  void write(nlohmann::json result) const;
  /// Prints `text` for people, if it may go to standard output, and writes `result` as write() does.
  void publish(std::string_view text, nlohmann::json result) const;
  /// Writes the exports. @throws freshet::error
  void write_exports(const run& about, std::span<const record> records) const;
};

/// Adds --json FILE, to which `content` goes.
command_option add_json_option(command_parser& command, result_files& files, std::string_view content);
/// Adds --fio-job FILE, for the winners as jobs for fio.
command_option add_fio_job_option(command_parser& command, result_files& files);
/// Adds --export KIND FILE, which refuses unknown kinds.
command_option add_export_option(command_parser& command, result_files& files);

/// Where the results of a measuring command go, among them its trials.
struct log_options : result_files {
  std::filesystem::path store;             ///< empty: default_store()
  bool keep = has_store();                 ///< in the store
  std::optional<std::uint64_t> seed = {};  ///< of the order of the trials: goes to the JSON and the stored command line

  [[nodiscard]] log_options with_seed(std::uint64_t of_order) const {
    log_options seeded = *this;
    seeded.seed = of_order;
    return seeded;
  }
};

/// Adds --json FILE, to which `content` goes, --store FILE, --no-store and --export KIND FILE.
void add_log_options(command_parser& command, log_options& options, std::string_view content = "all trials");

/// What says on standard error that `command` waits for another freshet on a device.
[[nodiscard]] std::function<void(const std::string& device)> print_waiting(std::string command);

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
  /// Opens the store, begins the run and reads the environment of `directory`, in which the command measures. Waits,
  /// and says so, while another freshet measures on the same device, unless the run starts with its first trial.
  /// @throws freshet::error  if the directory does not exist or a result could not be written; interrupted
  run_log(log_options options, std::string command, std::filesystem::path directory, log_start start = log_start::now);

  /// Stores the trial at once.
  void keep(record trial);
  /// Publishes `text` and, with the environment, `result` like result_files::publish(), and finishes.
  /// @return  the exit code of finish()
  [[nodiscard]] int publish(std::string_view text, nlohmann::json result);
  /// Stores the time of the end, writes the exports, and says which trials were not stored and why, and how many had
  /// wrong content. Without it, the run has no end in the store.
  /// @return  the exit code: 1 if a trial's files, or what was read of them, did not hold what they should; 0 otherwise
  /// @throws freshet::error  if an export cannot be written
  [[nodiscard]] int finish();

  /// What the device takes on which it measures, from what the store holds by now; empty if that is not known.
  /// Precondition: the run has begun.
  [[nodiscard]] std::optional<machine_rate> read_machine_rate() const {
    return tool::read_machine_rate(options_.store, run_.env);
  }

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
  std::unique_ptr<run_keeper> store_;
  std::optional<device_lock> alone_;
  std::vector<record> records_;  // only if they are to be exported
  std::size_t trials_ = 0;
  std::size_t lost_ = 0;
  std::size_t wrong_ = 0;
  std::string why_lost_;
};

}  // namespace freshet::tool

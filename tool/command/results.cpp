#include "tool/command/results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <freshet/version.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/command_line.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/terminal.hpp"
#include "tool/base/text.hpp"
#include "tool/export/exports.hpp"

namespace freshet::tool {

bool result_files::allow_text() const {
  return json != "-" && fio_job != "-" &&
         std::ranges::none_of(exports, [](const auto& each) { return each.second == "-"; });
}

std::string result_files::one_more(std::string_view name) const {
  if (name.empty()) throw std::invalid_argument{"it must not be empty"};
  if (name == "-" && !allow_text()) throw std::invalid_argument{"another result goes to standard output already"};
  return std::string{name};
}

void result_files::require_writable() const {
  tool::require_writable(json);
  tool::require_writable(fio_job);
  for (const auto& [kind, file] : exports) tool::require_writable(file);
}

void result_files::write(nlohmann::json result) const {
  result["freshet"] = std::string{version()};
  write_json(result, json);
}

void result_files::publish(std::string_view text, nlohmann::json result) const {
  print("{}", text);
  write(std::move(result));
}

void result_files::write_exports(const run& about, std::span<const record> records) const {
  for (const auto& [kind, file] : exports) write_text(format_export(kind, about, records), file);
}

command_option add_json_option(command_parser& command, result_files& files, std::string_view content) {
  const auto assign = [&files](std::string_view name) { files.json = files.one_more(name); };
  return command.add_parsed("--json FILE", assign, fmt::format("Write {} to this file; - is standard output", content));
}

command_option add_fio_job_option(command_parser& command, result_files& files) {
  const auto assign = [&files](std::string_view name) { files.fio_job = files.one_more(name); };
  return command.add_parsed("--fio-job FILE", assign, "Write the winners to this file as jobs for fio");
}

command_option add_export_option(command_parser& command, result_files& files) {
  const std::vector<std::string> known = export_kinds();
  const auto assign = [&files, known](const text_pairs& wanted) {
    for (const auto& [kind, file] : wanted)
      if (std::ranges::find(known, kind) == known.end())
        reject(kind, "a format", fmt::format("expected one of {}", fmt::join(known, ", ")));
    files.exports.clear();
    for (const auto& [kind, file] : wanted) files.exports.emplace_back(kind, files.one_more(file));
  };
  return command
      .add_pairs("--export KIND FILE", assign,
                 fmt::format("Write the trials to a file for other tools, as {}; - is standard output; may be repeated",
                             fmt::join(known, ", ")))
      .offer(known);
}

namespace {

// Refused where there is no store: what ignored it would lose the trials.
command_option add_store_option(command_parser& command, std::filesystem::path& into) {
  if (has_store())
    return command.add("--store", into, "Store the trials in this file ($XDG_STATE_HOME/freshet/trials.sqlite)");
  const auto refuse_store = [](const std::string&) {
    throw std::invalid_argument{"this freshet was built without a store; --json and --export keep the trials"};
  };
  return command.add_parsed("--store FILE", refuse_store, "Not in this freshet, which was built without a store");
}

}  // namespace

void add_log_options(command_parser& command, log_options& options, std::string_view content) {
  add_json_option(command, options, content);
  const command_option store = add_store_option(command, options.store);
  command
      .add_flag(
          "--no-store", [&options] { options.keep = false; }, "Do not store the trials")
      .exclude(store);
  add_export_option(command, options);
}

std::function<void(const std::string&)> print_waiting(std::string command) {
  return [command = std::move(command)](const std::string& device) {
    fmt::print(stderr, "freshet {}: waiting for another freshet that measures on {}\n", command, device);
  };
}

run_log::run_log(log_options options, std::string command, std::filesystem::path directory, log_start start)
    : options_{std::move(options)}, directory_{std::move(directory)} {
  options_.require_writable();
  run_.command = std::move(command);
  run_.words = read_command_line();
  if (options_.seed && run_.words.find(" --seed ") == std::string::npos)
    run_.words += fmt::format(" --seed {}", *options_.seed);
  run_.started = format_utc_now();
  if (start == log_start::with_the_first_trial) return;
  // Before the run begins, because reading the environment measures memory.
  alone_.emplace(file_system_at(directory_), print_waiting(run_.command));
  begin();
}

void run_log::begin() {
  begun_ = true;
  run_.env = read_environment(directory_);
  if (!options_.keep) return;
  use_store([&] { store_ = keep_run(options_.store, run_); });
}

// After the first failure the store is not used again: each attempt might wait for a lock until its time limit, and
// might make a damaged store worse.
template <typename Work>
void run_log::use_store(const Work& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    store_.reset();
    why_lost_ = failure.what();
    print_warning("trials are not kept from here on, but measuring continues: " + why_lost_);
  }
}

void run_log::keep(record trial) {
  if (!begun_) begin();
  trial.run = run_.id;
  if (store_) use_store([&] { store_->add(trial); });
  if (options_.keep && !store_) ++lost_;
  ++trials_;
  if (trial.figures.wrong_content) ++wrong_;
  if (!options_.exports.empty()) records_.push_back(std::move(trial));
}

int run_log::publish(std::string_view text, nlohmann::json result) {
  result["environment"] = run_.env;
  if (options_.seed) result["seed"] = *options_.seed;
  options_.publish(text, std::move(result));
  return finish();
}

int run_log::finish() {
  run_.ended = format_utc_now();
  if (store_) use_store([&] { store_->end(); });
  if (lost_ != 0)
    print_warning(
        fmt::format("{} of {} trials {} not kept: {}", lost_, trials_, lost_ == 1 ? "was" : "were", why_lost_));
  options_.write_exports(run_, records_);
  if (wrong_ == 0) return 0;
  print_warning(fmt::format("in {} of {}, the files did not hold what was written, so it counts nowhere", wrong_,
                            format_count(trials_, "trial")));
  return 1;
}

void run_log::print_warning(std::string_view text) const {
  // Erases a line of progress.
  if (is_terminal(stderr)) std::fputs("\r\x1b[K", stderr);
  fmt::print(stderr, "freshet {}: {}\n", run_.command, replace_controls(text));
}

}  // namespace freshet::tool

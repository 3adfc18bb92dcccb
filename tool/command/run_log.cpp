#include "tool/command/run_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

// The command line without the program's path; empty if the system does not provide it.
std::string read_command_line() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string line = "freshet";
  std::string word;
  if (!std::getline(in, word, '\0')) return {};
  while (std::getline(in, word, '\0')) line += " " + quote_for_shell(word);
  return line;
}

}  // namespace

void add_log_options(command_parser& command, log_options& options) {
  const command_option store =
      command.add("--store", options.store, "Store the trials in this file ($XDG_STATE_HOME/freshet/trials.sqlite)");
  command
      .add_flag(
          "--no-store", [&options] { options.keep = false; }, "Do not store the trials")
      .exclude(store);
  add_export_option(command, options.exports);
}

bool words_on_stdout(const log_options& options) { return words_on_stdout(options.exports); }

void require_writable(const log_options& options) {
  for (const auto& [kind, file] : options.exports) require_writable(file);
}

run_log::run_log(log_options options, std::string command, std::filesystem::path directory, log_start start)
    : options_{std::move(options)}, directory_{std::move(directory)} {
  require_writable(options_);
  run_.command = std::move(command);
  run_.words = read_command_line();
  run_.started = format_utc_now();
  if (start == log_start::now) begin();
}

void run_log::begin() {
  begun_ = true;
  run_.env = read_environment(directory_);
  if (!options_.keep) return;
  use_store([&] {
    const std::filesystem::path file = options_.store.empty() ? default_store() : options_.store;
    if (file.empty())
      throw std::runtime_error{"neither XDG_STATE_HOME nor HOME is set; name the store with --store FILE"};
    store_.emplace(file, store::access::write);
    run_.id = store_->begin(run_);
  });
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
  if (!options_.exports.empty()) records_.push_back(std::move(trial));
}

void run_log::finish() {
  run_.ended = format_utc_now();
  if (store_) use_store([&] { store_->end(run_.id); });
  if (lost_ != 0)
    print_warning(
        fmt::format("{} of {} trials {} not kept: {}", lost_, trials_, lost_ == 1 ? "was" : "were", why_lost_));
  write_exports(options_.exports, run_, records_);
}

void run_log::print_warning(std::string_view text) const {
  // Erases a line of progress.
  if (isatty(STDERR_FILENO) == 1) std::fputs("\r\x1b[K", stderr);
  fmt::print(stderr, "freshet {}: {}\n", run_.command, text);
}

}  // namespace freshet::tool

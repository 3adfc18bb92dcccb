#include "tool/trial/program_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "tool/base/child.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cold.hpp"
#include "tool/measure/left_behind.hpp"
#include "tool/measure/process.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// `words` for the shell, with the file's name in its place.
std::string name_file(std::string words, const fs::path& file) {
  if (words.find("{}") == std::string::npos) words += " {}";
  return replaced(words, "{}", quote_for_shell(file.string()));
}

// What the shell runs once it got a line: the clock starts when the process is there, before the program is.
child_call call(const std::string& line, double time_limit) {
  return {.words = {"sh", "-c", R"(read -r go && exec sh -c "$1" </dev/null >&2)", "sh", line},
          .directory = fs::current_path(),
          .time_limit = time_limit,
          .counts_own_memory = true};
}

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(path, none));
}

std::string describe(const child_failure& failure) {
  return fmt::format("the program {}{}{}", failure.what(), failure.last_words().empty() ? "" : ": ",
                     failure.last_words());
}

void fail(trial_result& trial, std::string reason) {
  trial.work_failed = true;
  trial.validity = trial_validity::invalid;
  trial.reasons = {std::move(reason)};
}

}  // namespace

program_runner::program_runner(const fs::path& directory, program_request request,
                               std::shared_ptr<memory_preparation> memory)
    : scratch_{fs::absolute(directory)},
      request_{std::move(request)},
      runner_{scratch_.path(), file_system_at(directory), std::move(memory)} {}

trial_result program_runner::run(const trial_plan& plan) {
  trial_result trial;
  trial.plan = plan;
  trial.method = plan.method;
  scratch_.clear();
  const bool reading = reads(plan.measured_class);
  if (!reading)
    require_budget(scratch_.path().parent_path(), written_ + std::max(largest_, plan.size), request_.max_bytes);
  const fs::path file = reading ? scratch_.kept_file(0) : scratch_.file(0);
  try {
    if (reading) provide_file(trial, file);
    measure(trial, file);
  } catch (const child_failure& failure) {
    fail(trial, describe(failure));
  }
  written_ += trial.bytes_written;
  largest_ = std::max(largest_, trial.bytes_written);
  scratch_.clear();
  return trial;
}

// All trials read the same file, unless a program changes it.
void program_runner::provide_file(trial_result& trial, const fs::path& file) {
  if (trial.plan.measured_class == io_class::cold && is_in_memory(runner_.place()))
    refuse(std::errc::operation_not_supported, "read", scratch_.path().parent_path(), why_never_cold(runner_.place()));
  if (is_file(file) && fs::file_size(file) == size_to_read_) return;
  const trial_plan writing{.method = "buffered", .measured_class = io_class::at_close, .size = request_.size};
  size_to_read_ = write_file(writing, file, nullptr).written.bytes;
  trial.bytes_written = size_to_read_;
}

void program_runner::measure(trial_result& trial, const fs::path& file) {
  const bool reading = reads(trial.plan.measured_class);
  const bool cold = trial.plan.measured_class == io_class::cold;
  const auto files = std::span{&file, 1};
  const std::string drop_failure = cold ? drop_all_pages(files) : "";
  trial_steps steps;
  steps.memory = trial_steps::memory_need{trial.plan.memory, trial.plan.size};
  if (reading)
    steps.warm_up = [&] { trial.bytes_cached = cold ? bytes_in_cache(files) : warm_up(files); };
  else
    steps.sync = [&] {
      if (is_file(file)) sync_file(file);
    };
  run_program(trial, file, std::move(steps));
  const std::uint64_t stored = enter_file(trial, file);
  apply_gates(trial, true, runner_.place(), drop_failure, {.wanted = "auto", .used = {}}, stored);
  check(file);
}

void program_runner::run_program(trial_result& trial, const fs::path& file, trial_steps steps) {
  const left_behind others;
  std::optional<child> program;
  steps.work = [&](trial_clock& clock) {
    program.emplace(call(name_file(trial.plan.method, file), request_.time_limit), child::connection::talk);
    clock.start({.worker = program->process_id()});
    program->send_go();
    program->wait_for_end();
  };
  runner_.prepare(trial, steps);
  runner_.measure(trial, steps);
  const std::vector<std::string> left = others.list(program->process_id());
  // Of an ended process, the kernel tells only root; but it adds what a process did to what its parent did.
  const std::uint64_t own_calls = read_process_counters().write_calls;
  program->wait_for_success();
  trial.write_calls = read_process_counters().write_calls - own_calls;
  trial.peak_memory = program->peak_memory();
  if (!left.empty()) throw child_failure{fmt::format("left processes behind: {}", fmt::join(left, ", ")), {}};
}

// Returns how many bytes of it the device should have.
std::uint64_t program_runner::enter_file(trial_result& trial, const fs::path& file) const {
  const std::uint64_t size = is_file(file) ? fs::file_size(file) : 0;
  if (reads(trial.plan.measured_class)) {
    if (size != size_to_read_) throw child_failure{"changed the file that it was to read", {}};
    trial.bytes = size;
  } else {
    if (size == 0 && request_.size == 0) throw child_failure{"wrote nothing into the file that it was given", {}};
    trial.bytes = size == 0 ? request_.size : size;
    trial.bytes_written = trial.bytes;
  }
  if (size == 0) return 0;
  trial.extents = count_extents(file);
  trial.page_cache = visible_bytes_in_cache(file);
  return size;
}

void program_runner::check(const fs::path& file) const {
  if (request_.check.empty()) return;
  try {
    static_cast<void>(tool::run_program({.words = {"sh", "-c", name_file(request_.check, file)},
                                         .directory = fs::current_path(),
                                         .time_limit = request_.time_limit}));
  } catch (const child_failure& failure) {
    throw child_failure{fmt::format("wrote a wrong file: the check {}", failure.what()), failure.last_words()};
  }
}

}  // namespace freshet::tool

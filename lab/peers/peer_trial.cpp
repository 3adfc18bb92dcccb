#include "lab/peers/peer_trial.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/methods.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/cold.hpp"
#include "tool/measure/process.hpp"
#include "tool/trial/gates.hpp"
#include "tool/trial/read_file.hpp"
#include "tool/trial/write_file.hpp"
#include "tool/workload/checksum.hpp"
#include "tool/workload/verify.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// A program that says only "closed" cannot bypass the page cache.
constexpr std::string_view method_unless_said = "buffered";
constexpr std::uint64_t checked_size = std::uint64_t{16} << 20;
constexpr std::size_t read_back_piece = std::size_t{4} << 20;
// Direct writes may reach so far beyond a file's end before it is cut.
constexpr std::uint64_t beyond_the_end = std::uint64_t{64} << 20;

// The directory is empty again, whatever happens.
class cleared_in_the_end {
 public:
  explicit cleared_in_the_end(scratch& files) : files_{files} {}
  cleared_in_the_end(const cleared_in_the_end&) = delete;
  cleared_in_the_end& operator=(const cleared_in_the_end&) = delete;
  ~cleared_in_the_end() {
    try {
      files_.clear();
    } catch (const error&) {
      // The next trial's start meets it again, and says so.
    }
  }

 private:
  scratch& files_;
};

trial_plan plan_of(const peer_program& program, const peer_request& wanted) {
  return {.method = program.name,
          .block = static_cast<std::size_t>(program.buffer),
          .reserve = wanted.reserve,
          .measured_class = wanted.write_through ? io_class::each_write : io_class::none,
          .target = wanted.target,
          .memory = wanted.memory,
          .size = wanted.size};
}

nlohmann::json make_plan_json(const peer_trial& trial) {
  const peer_request& wanted = trial.request;
  return {{"peer", trial.figures.plan.method},
          {"workload", to_string(wanted.workload)},
          {"size", wanted.size},
          {"buffer", trial.figures.plan.block},
          {"reserve", wanted.reserve},
          {"write_through", wanted.write_through},
          {"no_cache", wanted.no_cache},
          {"sequential", wanted.sequential},
          {"target", to_string(wanted.target)},
          {"memory", to_string(wanted.memory)}};
}

nlohmann::json make_more_json(const peer_trial& trial) {
  return {{"start_seconds", trial.start_seconds},
          {"method_at_work", trial.method_at_work},
          {"cold_read_mb_per_second", trial.figures.cold_read}};
}

// A peer may leave no file, or one that is not a regular file or cannot be opened.
void require_file(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(file, none)) || ::access(file.c_str(), R_OK | W_OK) != 0)
    throw child_failure{"left no file that can be read and written", {}};
}

// Some file systems report only at the sync that the disk or the quota is full.
void sync_what_it_wrote(const fs::path& file) {
  try {
    sync_file(file);
  } catch (const error& failed) {
    if (failed.code() != std::errc::no_space_on_device && failed.code().value() != EDQUOT) throw;
    throw child_failure{failed.what(), {}};
  }
}

[[noreturn]] void fail_for_bytes(const fs::path& file, const amount& expected) {
  std::error_code failure;
  const std::uint64_t size = fs::file_size(file, failure);
  throw child_failure{!failure && size != expected.bytes
                          ? fmt::format("wrote wrong bytes: {} instead of {}", size, expected.bytes)
                          : "wrote wrong bytes, though as many as it should",
                      {}};
}

}  // namespace

std::vector<std::string> options_of(const peer_request& wanted) {
  std::vector<std::string> names;
  if (wanted.buffer != 0) names.emplace_back("buffer");
  if (wanted.reserve) names.emplace_back("reserve");
  if (wanted.write_through) names.emplace_back("write-through");
  if (wanted.no_cache) names.emplace_back("no-cache");
  if (wanted.sequential) names.emplace_back("sequential");
  if (wanted.target == target_kind::overwrite) names.emplace_back("overwrite");
  return names;
}

void to_json(nlohmann::json& out, const peer_trial& trial) {
  out = trial.figures;
  out["plan"] = make_plan_json(trial);
  out.update(make_more_json(trial));
}

record make_record(const peer_trial& trial) {
  record result = make_record(trial.figures);
  result.workload = to_string(trial.request.workload);
  if (trial.request.no_cache) result.label += ", past the cache";
  result.plan = make_plan_json(trial);
  result.extra = make_more_json(trial);
  return result;
}

peer_runner::peer_runner(const fs::path& directory, const peer_request& wanted, double time_limit,
                         std::shared_ptr<memory_preparation> memory)
    : scratch_{fs::absolute(directory)},
      file_{scratch_.file(0)},
      wanted_{wanted},
      time_limit_{time_limit},
      runner_{scratch_.path(), file_system_at(directory), std::move(memory)} {
  checksum sum;
  expected_ = write_workload(sum, {.kind = wanted.workload, .size = wanted.size});
  expected_checksum_ = sum.value();
}

std::vector<std::string> peer_runner::words(const peer_program& program, std::uint64_t size) const {
  std::vector<std::string> all = program.run;
  const auto add = [&](std::string_view name, std::string_view value) {
    all.emplace_back(name);
    all.emplace_back(value);
  };
  add("--workload", to_string(wanted_.workload));
  add("--file", file_.native());
  add("--size", std::to_string(size));
  if (program.buffer != 0) add("--buffer", std::to_string(program.buffer));
  for (const std::string& option : options_of(wanted_))
    if (option != "buffer" && option != "overwrite") all.push_back("--" + option);
  add("--target", to_string(wanted_.target));
  return all;
}

child_call peer_runner::call(const peer_program& program, std::vector<std::string> words) const {
  return {.words = std::move(words), .directory = program.folder, .time_limit = time_limit_};
}

// An empty directory; where it will be written over, with a file of other bytes, on the device.
void peer_runner::prepare(std::uint64_t size) {
  scratch_.clear();
  if (wanted_.target != target_kind::overwrite) return;
  const trial_plan old{
      .method = "buffered", .measured_class = io_class::at_close, .workload = workload_kind::blocks, .size = size};
  if (!old_content_) old_content_.emplace(old.seed);
  static_cast<void>(write_file(old, file_, &*old_content_));
  bytes_written_ += size;
}

void peer_runner::check(const peer_program& program) {
  const std::uint64_t size = std::min(wanted_.size, checked_size);
  const cleared_in_the_end cleared{scratch_};
  prepare(size);
  child worker{call(program, words(program, size)), child::connection::talk};
  worker.expect("ready");
  worker.limit_files(size + beyond_the_end);
  worker.send_go();
  static_cast<void>(worker.expect_with_more("closed"));
  worker.close_input();
  worker.wait_for_success();
  bytes_written_ += size;
  require_file(file_);
  file_comparer file{file_};
  const amount expected = write_workload(file, {.kind = wanted_.workload, .size = size});
  if (!file.same_to_the_end()) fail_for_bytes(file_, expected);
}

peer_trial peer_runner::run(const peer_program& program) {
  peer_trial trial;
  trial.request = wanted_;
  trial.figures.plan = plan_of(program, wanted_);
  trial.figures.method = program.name;
  const cleared_in_the_end cleared{scratch_};
  prepare(wanted_.size);
  file_evidence evidence;
  if (wanted_.target == target_kind::overwrite && !is_in_memory(runner_.place()))
    evidence.drop_failure = drop_all_pages(std::span{&file_, 1});
  write(program, trial, std::move(evidence));
  return trial;
}

// The child lives on until all its counters have been read.
void peer_runner::write(const peer_program& program, peer_trial& trial, file_evidence evidence) {
  std::optional<child> worker;
  const auto work = [&](trial_clock& clock) {
    const stopwatch starting;
    worker.emplace(call(program, words(program, wanted_.size)), child::connection::talk);
    worker->expect("ready");
    trial.start_seconds = starting.seconds();
    worker->limit_files(wanted_.size + beyond_the_end);
    clock.start({.worker = worker->process_id()});
    worker->send_go();
    trial.method_at_work = worker->expect_with_more("closed");
  };
  const auto sync = [&] {
    bytes_written_ += expected_.bytes;
    require_file(file_);
    if (!wanted_.write_through) sync_what_it_wrote(file_);
  };
  const auto check_files = [&] {
    trial.figures.peak_memory = read_peak_memory(worker->process_id());
    worker->close_input();
    worker->wait_for_success();
    trial.figures.bytes = expected_.bytes;
    trial.figures.lines = expected_.lines;
    trial.figures.bytes_written = expected_.bytes + (wanted_.target == target_kind::overwrite ? wanted_.size : 0);
    trial.figures.extents = count_extents(file_);
    trial.figures.page_cache = visible_bytes_in_cache(file_);
    if (trial.method_at_work.empty()) trial.method_at_work = method_unless_said;
    evidence.method = {.wanted = program.method, .used = trial.method_at_work};
    read_back(trial);
    return evidence;
  };
  runner_.run(trial.figures, {.memory = trial_steps::memory_need{wanted_.memory, wanted_.size},
                              .work = work,
                              .sync = sync,
                              .check_files = check_files});
}

bool peer_runner::goes_past_the_cache() const {
  const auto all_methods = methods(scratch_.path());
  return std::ranges::any_of(all_methods, [](const auto& info) { return info.name == "direct" && info.available(); });
}

// Reads the whole file, which also compares it with what the peer should have written.
void peer_runner::read_back(peer_trial& trial) {
  require_file(file_);
  const bool in_memory = is_in_memory(runner_.place());
  trial_result reading;
  reading.plan = {.method = goes_past_the_cache() ? "direct" : "buffered",
                  .block = read_back_piece,
                  .measured_class = io_class::cold,
                  .size = wanted_.size};
  const std::string drop_failure = in_memory ? "" : drop_all_pages(std::span{&file_, 1});
  reading.bytes_cached = bytes_in_cache(file_);
  read_file_result result;
  runner_.run(reading, {.wait_until_quiet = false, .work = [&](trial_clock& clock) {
                          clock.start();
                          result = read_file(reading.plan, file_);
                        }});
  if (result.bytes != expected_.bytes || result.checksum != expected_checksum_) fail_for_bytes(file_, expected_);
  trial.figures.bytes_compared = result.bytes;
  reading.bytes = result.bytes;
  reading.method = result.method;
  if (in_memory) {
    trial.why_not_cold = why_never_cold(runner_.place());
    return;
  }
  apply_gates(reading, true, runner_.place(), drop_failure);
  if (reading.validity == trial_validity::invalid)
    trial.why_not_cold = reading.reasons.front();
  else
    trial.figures.cold_read = reading.rate_to_close();
}

}  // namespace freshet::tool

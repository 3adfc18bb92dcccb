#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/encryption_arguments.hpp"
#include "tool/command/run_log.hpp"
#include "tool/encrypt/manifest.hpp"
#include "tool/encrypt/measured_run.hpp"
#include "tool/encrypt/output_directory.hpp"
#include "tool/measure/clock.hpp"
#include "tool/ranks/at_all_ranks.hpp"
#include "tool/report/encrypt_report.hpp"
#include "tool/report/json_output.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto encrypt_footer = R"(This is measured work, not protection: key and counter are always the same.

Every line becomes one line of Base64, in a file of the same name, which appears in OUT when it is complete. OUT also
gets a manifest, .freshet-encrypt.json, by which a run that was stopped is continued (--resume) and its output turned
back (--decrypt). Nothing is synced: what was finished before a reboot is done anew.

Strategies:
  streaming   each thread has a list of files: read a line, treat it, write it
  buffering   the same, but read a whole file, treat all of it, write all of it
  pipelined   one reader of large blocks at a time, whole lines to all threads, their results in order
  async       reads and writes by io_uring, ahead of the threads and behind them
  auto        one of these, by file sizes, processors, the work per byte and the profile; says why

Examples:
  freshet encrypt letters secret --work 100 --cipher aes
  freshet encrypt secret letters.again --decrypt       cipher and work are taken from the manifest in secret
  freshet encrypt letters secret --work 100 --cipher aes --resume
  freshet encrypt /data/in /data/out --strategy streaming --threads 1 --cold --json -
  mpirun -n 4 freshet-mpi encrypt /shared/in /shared/out)";

struct encrypt_options {
  fs::path in;
  fs::path out;
  std::optional<strategy> how;  // empty: auto
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::optional<unsigned> work;
  std::optional<cipher_kind> cipher;
  stream_kind streams = stream_kind::std;
  bool decrypt = false;
  bool resume = false;
  bool force = false;
  bool cold = false;
  std::string json;
  log_options log;
};

std::optional<cipher_kind> parse_some_cipher(std::string_view text) { return parse_cipher(text); }
std::optional<unsigned> parse_some_work(std::string_view text) { return parse_work(text); }

// What `in` was made by, for turning it back. @throws freshet::error  where it is no complete output of a run
std::optional<cipher_plan> origin_of(const fs::path& in, const std::vector<input_file>& files) {
  const auto refuse = [&](std::string_view why) {
    throw error{std::make_error_code(std::errc::invalid_argument), "decrypt", in, error::no_offset,
                fmt::format("it is not the output of freshet encrypt: {}; --force tries nevertheless", why)};
  };
  const auto made = read_manifest(in);
  if (!made) refuse(fmt::format("there is no {}", manifest_name));
  if (made->plan.decrypt) refuse("it was decrypted already");
  if (made->clearing) refuse("it is not complete");
  const auto [of, is] = std::ranges::mismatch(made->inputs, files, {}, &input_file::name, &input_file::name);
  if (of != made->inputs.end() && (is == files.end() || of->name < is->name))
    refuse(fmt::format("it is not complete, '{}' is missing", of->name));
  if (is != files.end()) refuse(fmt::format("'{}' is none of its files", is->name));
  return made->plan;
}

cipher_plan plan_of(const encrypt_options& options, const std::vector<input_file>& files) {
  cipher_plan plan{.cipher = options.cipher.value_or(cipher_kind::xor_bytes),
                   .work = options.work.value_or(0),
                   .decrypt = options.decrypt};
  if (!options.decrypt) return plan;
  std::optional<cipher_plan> origin;
  try {
    origin = origin_of(options.in, files);
  } catch (const error&) {
    if (!options.force) throw;
  }
  if (!origin) return plan;
  plan.cipher = options.cipher.value_or(origin->cipher);
  plan.work = options.work.value_or(origin->work);
  if (!options.force && (plan.cipher != origin->cipher || plan.work != origin->work))
    throw error{std::make_error_code(std::errc::invalid_argument), "decrypt", options.in, error::no_offset,
                fmt::format("it was encrypted with --cipher {} --work {}; --force tries nevertheless",
                            name_of(origin->cipher), origin->work)};
  return plan;
}

manifest wanted_manifest(const encrypt_options& options) {
  manifest wanted{.plan = {}, .boot = detail::os::boot_id(), .inputs = list_input(options.in)};
  if (wanted.inputs.empty())
    throw error{std::make_error_code(std::errc::invalid_argument), options.decrypt ? "decrypt" : "encrypt", options.in,
                error::no_offset, "there is no file in it: nothing to encrypt"};
  require_apart(options.in, options.out);
  wanted.plan = plan_of(options, wanted.inputs);
  return wanted;
}

// What rank 0 found there is to do.
struct assignment {
  manifest wanted;
  std::optional<output_directory> output;  // has the lock
};

// Everywhere: `wanted` with the files that are left. The one text that says so is the manifest's.
manifest prepare(ranks& all, const encrypt_options& options, assignment& made) {
  const auto what = options.resume ? if_there::resume : options.force ? if_there::replace : if_there::refuse;
  const std::string text = at_first(all, [&] {
    made.wanted = wanted_manifest(options);
    require_writable(options.json);
    require_writable(options.log);
    made.output.emplace(options.out, made.wanted, what);
    manifest left = made.wanted;
    left.inputs = made.output->unfinished();
    return to_text(left);
  });
  return parse_manifest(text, options.out / manifest_name);
}

// Rank 0 chooses for all, by its own share.
strategy_choice choose(ranks& all, const encrypt_options& options, const encryption_job& job) {
  if (options.how) return {*options.how, {}};
  const std::string text = at_first(all, [&] {
    const auto [how, why] = job.files.empty() ? strategy_choice{} : choose_strategy(job, options.cold);
    return fmt::format("{}\n{}", name_of(how), why);
  });
  const std::size_t end = text.find('\n');
  return {parse_contender(std::string_view{text}.substr(0, end)).value(), text.substr(end + 1)};
}

// Empty but at rank 0, and where it was not asked for.
std::optional<eviction> evict_input(ranks& all, const encrypt_options& options, const encryption_job& job) {
  if (!options.cold) return {};
  const std::vector<std::string> told = at_all(all, [&] {
    std::vector<fs::path> paths;
    for (const input_file& file : job.files) paths.push_back(job.in / file.name);
    return nlohmann::json(evict(paths)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  });
  std::optional<eviction> made;
  for (const std::string& each : told) {
    auto one = nlohmann::json::parse(each).get<eviction>();
    if (!made) made.emplace(eviction{.proven = true, .faults = {}, .gaps = {}});
    made->proven = made->proven && one.proven;
    std::ranges::move(one.faults, std::back_inserter(made->faults));
    for (std::string& gap : one.gaps)
      if (std::ranges::find(made->gaps, gap) == made->gaps.end()) made->gaps.push_back(std::move(gap));
  }
  return made;
}

encryption_figures run_encryption(ranks& all, const encryption_job& job) {
  const std::vector<std::string> told =
      at_all(all, [&] { return nlohmann::json(encrypt_measured(job, all.leads())).dump(); });
  encryption_figures sum;
  for (const std::string& each : told) sum = together(sum, nlohmann::json::parse(each).get<encryption_figures>());
  return sum;
}

// How to go on with a run that ended early. What --force had decrypted against the manifest is refused without it.
std::string_view advice(encrypt_options options, const manifest& wanted) {
  if (!std::exchange(options.force, false)) return "the same call with --resume continues";
  try {
    if (plan_of(options, wanted.inputs) == wanted.plan)
      return "the same call with --resume instead of --force continues";
  } catch (const error&) {
    // Said below.
  }
  return "the same call does all of them anew";
}

// The last words of a run that ended early.
std::string what_is_finished(const assignment& made, const encrypt_options& options) {
  const std::size_t all = made.wanted.inputs.size();
  return fmt::format("{} of {} files are finished in {}; {}", all - missing_in(options.out, made.wanted.inputs).size(),
                     all, options.out.string(), advice(options, made.wanted));
}

encryption_report measure(ranks& all, const encrypt_options& options, const manifest& left) {
  const auto files = share_out(left.inputs, all.count())[all.number()];
  encryption_job job{
      options.in, options.out, files, {.cipher = left.plan, .threads = options.threads, .streams = options.streams}};
  const strategy_choice choice = choose(all, options, job);
  job.plan.how = choice.how;
  encryption_report report;
  report.started = utc_now();
  report.in = options.in.string();
  report.out = options.out.string();
  report.plan = job.plan;
  report.why = choice.why;
  report.ranks = all.count();
  report.cold = evict_input(all, options, job);
  report.figures = run_encryption(all, job);
  return report;
}

// At rank 0. What there was nothing to measure of is no trial.
void tell(const encrypt_options& options, const encryption_report& report, run_log& log) {
  if (report.figures.files != 0) log.keep(make_record(report));
  if (words_on_stdout(options.json) && words_on_stdout(options.log)) fmt::print("{}", to_text(report));
  write_json(report, options.json);
  log.finish();
}

int run_encrypt(const encrypt_options& options) {
  ranks& all = all_ranks();
  assignment made;
  const manifest left = prepare(all, options, made);
  try {
    run_log log{options.log, "encrypt", options.out, log_start::with_the_first_trial};
    encryption_report report = measure(all, options, left);
    if (!all.leads()) return 0;
    report.finished_before = made.wanted.inputs.size() - left.inputs.size();
    tell(options, report, log);
  } catch (const std::exception& failure) {
    if (!all.leads()) throw;
    throw std::runtime_error{fmt::format("{}\n{}", failure.what(), what_is_finished(made, options))};
  } catch (const interrupted&) {
    if (all.leads()) fmt::print(stderr, "freshet: {}\n", what_is_finished(made, options));
    throw;
  }
  return 0;
}

}  // namespace

void add_encrypt_command(program_parser& program) {
  const auto options = std::make_shared<encrypt_options>();
  command_parser command =
      program.add_command("encrypt", "Encrypt every line of every file of a directory, to measure how");
  command.add("IN", options->in, "The directory of the files").require();
  command.add("OUT", options->out, "The directory that they go to; created if it does not exist").require();
  command.add("--strategy", options->how, parse_contender, "streaming, buffering, pipelined, async or auto (auto)");
  command.add("--threads", options->threads, parse_threads,
              fmt::format("1 to {} (as many as there are processors)", most_threads));
  command.add("--work", options->work, parse_some_work, "How many times each line is encrypted (0)");
  command.add("--cipher", options->cipher, parse_some_cipher, "xor or aes, that is AES-256-CTR (xor)");
  command.add_flag("--decrypt", options->decrypt, "Turn it back: IN is the output of freshet encrypt");
  const command_option resume =
      command.add_flag("--resume", options->resume, "Continue the same run, which was stopped or failed");
  command
      .add_flag("--force", options->force,
                "Replace files of the same names in OUT, and decrypt what does not seem to be encrypted so")
      .exclude(resume);
  command.add_flag("--cold", options->cold, "Have no file of IN in memory at first, and prove it");
  command.add("--streams", options->streams, parse_streams,
              "What streaming and buffering are written with: std or freshet");
  add_json_option(command, options->json, "the figures");
  add_log_options(command, options->log);
  command.set_footer(encrypt_footer);
  command.set_action([options] { return run_encrypt(*options); });
}

}  // namespace freshet::tool

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "lab/encrypt/manifest.hpp"
#include "lab/encrypt/measured_run.hpp"
#include "lab/encrypt/output_directory.hpp"
#include "lab/encrypt/report.hpp"
#include "lab/encrypt/work_arguments.hpp"
#include "lab/ranks/run_on_all.hpp"
#include "src/os/environment.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/file_options.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto encrypt_footer = R"(This is a benchmark and protects nothing: the key and the counter
are always the same. To protect a file, use freshet seal.

Every line becomes one line of Base64 in a file of the same name, which appears in OUT when it is complete. OUT also
gets a manifest, .freshet-encrypt.json, which is used to continue a stopped run (--resume) and to decrypt its output
(--decrypt). Nothing is synced, so after a reboot --resume makes all files again.

Strategies:
  streaming   each thread has a list of files: read a line, encrypt it, write it
  buffering   the same, but read a whole file, encrypt it, and write it
  pipelined   read large blocks, pass whole lines to all threads, and write their results in order
  async       read ahead of the threads and write behind them with io_uring
  auto        choose one of these by file sizes, how much is in memory, and the profile, and print why

Examples:
  freshet encrypt letters secret --work 100 --cipher aes
  freshet encrypt secret letters.again --decrypt       takes the cipher and the work from the manifest in secret
  freshet encrypt letters secret --work 100 --cipher aes --resume
  freshet encrypt /data/in /data/out --strategy streaming --threads 1 --cold --json -
  mpirun -n 4 freshet encrypt /shared/in /shared/out)";

struct encrypt_options {
  fs::path in;
  fs::path out;
  std::optional<strategy> how;  // empty: auto
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::optional<unsigned> work;
  std::optional<cipher_kind> cipher;
  stream_kind streams = stream_kind::std;
  file_use files;
  bool decrypt = false;
  bool resume = false;
  bool force = false;
  bool cold = false;
  bool verify = false;
  log_options log;
};

// What a strategy cannot be told of how to use files. @throws usage_error
void require_means(const encrypt_options& options) {
  const file_use& files = options.files;
  if (files == file_use{}) return;
  const bool has_caching = files.caching != caching::automatic;
  if (options.how == strategy::async)
    throw usage_error{has_caching    ? "--caching"
                      : files.access ? "--access"
                                     : "--buffer",
                      "the strategy async reads and writes in its own way; pipelined can"};
  const bool has_streams = options.how == strategy::streaming || options.how == strategy::buffering;
  if (has_caching && has_streams && options.streams == stream_kind::std)
    throw usage_error{"--caching", fmt::format("{} needs --streams freshet for it", to_string(*options.how))};
}

// How `in` was encrypted. @throws freshet::error  if it is not the complete output of a run
cipher_plan read_origin(const fs::path& in, const std::vector<input_file>& files) {
  const auto refuse_input = [&](std::string_view why) {
    refuse(std::errc::invalid_argument, "decrypt", in,
           fmt::format("it is not the output of freshet encrypt: {}; --force tries anyway", why));
  };
  const auto origin = read_manifest(in);
  if (!origin) refuse_input(fmt::format("there is no {}", manifest_name));
  if (origin->plan.decrypt) refuse_input("it was decrypted already");
  if (origin->clearing) refuse_input("it is not complete");
  const auto [listed, present] = std::ranges::mismatch(origin->inputs, files, {}, &input_file::name, &input_file::name);
  if (listed != origin->inputs.end() && (present == files.end() || listed->name < present->name))
    refuse_input(fmt::format("it is not complete, '{}' is missing", listed->name));
  if (present != files.end()) refuse_input(fmt::format("'{}' is not one of its files", present->name));
  return origin->plan;
}

cipher_plan make_plan(const encrypt_options& options, const std::vector<input_file>& files) {
  cipher_plan plan{.decrypt = options.decrypt};
  plan.cipher = options.cipher.value_or(plan.cipher);
  plan.work = options.work.value_or(plan.work);
  if (!options.decrypt) return plan;
  std::optional<cipher_plan> origin;
  try {
    origin = read_origin(options.in, files);
  } catch (const error&) {
    if (!options.force) throw;
  }
  if (!origin) return plan;
  plan.cipher = options.cipher.value_or(origin->cipher);
  plan.work = options.work.value_or(origin->work);
  if (!options.force && (plan.cipher != origin->cipher || plan.work != origin->work))
    refuse(std::errc::invalid_argument, "decrypt", options.in,
           fmt::format("it was encrypted with --cipher {} --work {}; --force tries anyway", to_string(origin->cipher),
                       origin->work));
  return plan;
}

manifest make_manifest(const encrypt_options& options) {
  manifest wanted{.plan = {}, .boot = detail::os::boot_id(), .inputs = list_input(options.in)};
  if (wanted.inputs.empty())
    refuse(std::errc::invalid_argument, options.decrypt ? "decrypt" : "encrypt", options.in,
           "the directory has no files, so there is nothing to encrypt");
  require_apart(options.in, options.out);
  wanted.plan = make_plan(options, wanted.inputs);
  return wanted;
}

// What the root has prepared.
struct assignment {
  manifest wanted;
  std::optional<output_directory> output;  // holds the lock
};

// Returns the manifest with the files that are left, on every rank.
manifest prepare(ranks& all, const encrypt_options& options, assignment& prepared) {
  const auto policy = options.resume  ? existing_output::resume
                      : options.force ? existing_output::replace
                                      : existing_output::refuse;
  return run_on_root(all, [&] {
    prepared.wanted = make_manifest(options);
    options.log.require_writable();
    prepared.output.emplace(options.out, prepared.wanted, policy);
    if (const auto changed = prepared.output->changed(); changed != 0)
      fmt::print(stderr, "freshet encrypt: {} had changed since and {} made again\n",
                 format_count(changed, "finished file"), changed == 1 ? "is" : "are");
    manifest left = prepared.wanted;
    left.inputs = prepared.output->unfinished();
    return left;
  });
}

// The root chooses for all ranks, by its own share.
strategy_choice choose(ranks& all, const encrypt_options& options, const encryption_job& job) {
  if (options.how) return {*options.how, {}};
  if (options.files != file_use{})
    return {strategy::pipelined, "it reads and writes as --buffer, --access and --caching ask, which async does not"};
  const auto [how, why] = run_on_root(all, [&] {
    const strategy_choice choice = job.files.empty() ? strategy_choice{} : choose_strategy(job, options.cold);
    return std::pair{choice.how, choice.why};
  });
  return {how, why};
}

// Evicts the input on every rank. The result is at the root, and empty if it was not asked for.
std::optional<eviction> evict_input(ranks& all, const encrypt_options& options, const encryption_job& job) {
  if (!options.cold) return {};
  const std::vector<eviction> evictions = run_on_all(all, [&] {
    std::vector<fs::path> paths;
    for (const input_file& file : job.files) paths.push_back(job.in / file.name);
    return evict(paths);
  });
  std::optional<eviction> sum;
  for (const eviction& each : evictions) {
    if (!sum) sum.emplace(eviction{.proven = true, .reasons = {}, .caveats = {}});
    sum->proven = sum->proven && each.proven;
    sum->reasons.insert(sum->reasons.end(), each.reasons.begin(), each.reasons.end());
    for (const std::string& caveat : each.caveats)
      if (std::ranges::find(sum->caveats, caveat) == sum->caveats.end()) sum->caveats.push_back(caveat);
  }
  return sum;
}

encryption_figures run_encryption(ranks& all, const encryption_job& job) {
  progress line;
  progress_listener listener;
  if (all.is_root()) listener = [&](const std::string& state, double left) { line.show(state, left); };
  encryption_figures sum;
  for (const encryption_figures& each : run_on_all(all, [&] { return measure_encryption(job, listener); }))
    sum = combine(sum, each);
  return sum;
}

// How to continue a run that ended early. Only --force decrypts against the manifest, so --resume cannot continue that.
std::string_view make_advice(encrypt_options options, const manifest& wanted) {
  if (!std::exchange(options.force, false)) return "the same call with --resume continues";
  try {
    if (make_plan(options, wanted.inputs) == wanted.plan)
      return "the same call with --resume instead of --force continues";
  } catch (const error&) {
    // The advice below covers this case.
  }
  return "the same call starts again from the first file";
}

// The last line that a run prints when it ends early.
std::string format_state(const assignment& prepared, const encrypt_options& options) {
  const std::size_t files = prepared.wanted.inputs.size();
  const std::size_t missing = find_missing(options.out, prepared.wanted.inputs).size();
  return fmt::format("{} of {} files are finished in {}; {}", files - missing, files, printable(options.out.string()),
                     make_advice(options, prepared.wanted));
}

encryption_report measure(ranks& all, const encrypt_options& options, const manifest& left) {
  const auto files = share_out(left.inputs, all.count())[all.number()];
  encryption_job job{
      options.in,
      options.out,
      files,
      {.cipher = left.plan, .threads = options.threads, .streams = options.streams, .files = options.files}};
  const strategy_choice choice = choose(all, options, job);
  job.plan.how = choice.how;
  encryption_report report;
  report.started = format_utc_now();
  report.in = options.in.string();
  report.out = options.out.string();
  report.plan = job.plan;
  report.why = choice.why;
  report.ranks = all.count();
  report.cold = evict_input(all, options, job);
  report.figures = run_encryption(all, job);
  return report;
}

// At the root. A run without files measured nothing, so it is not recorded.
void publish(const encrypt_options& options, const encryption_report& report, run_log& log) {
  if (report.figures.files != 0) log.keep(make_record(report));
  options.log.print("{}", to_text(report));
  write_json(report, options.log.json);
  std::ignore = log.finish();  // its files are not compared
}

// Reads all files of the output back, also those that an earlier run finished. At the root, which alone knows them.
std::size_t verify(const encrypt_options& options, const manifest& wanted) {
  encryption_progress done;
  verify_output({options.in, options.out, wanted.inputs, {.cipher = wanted.plan, .threads = options.threads}}, done);
  return wanted.inputs.size();
}

// For a run that ends early: what it leaves is judged by its sizes alone if this fails, too.
void record_if_possible(assignment& prepared) noexcept {
  try {
    prepared.output->record_outputs(prepared.wanted);
  } catch (const std::exception&) {
    return;
  }
}

int run_encrypt(const encrypt_options& options) {
  require_means(options);
  ranks& all = all_ranks();
  assignment prepared;
  const manifest left = prepare(all, options, prepared);
  try {
    // Only the root has results, and perhaps the directories that they go to.
    run_log log{all.is_root() ? options.log : log_options{}, "encrypt", options.out, log_start::with_the_first_trial};
    encryption_report report = measure(all, options, left);
    if (!all.is_root()) return 0;
    report.finished_before = prepared.wanted.inputs.size() - left.inputs.size();
    prepared.output->record_outputs(prepared.wanted);
    if (options.verify) report.verified = verify(options, prepared.wanted);
    publish(options, report, log);
  } catch (const std::exception& failure) {
    if (!all.is_root()) throw;
    record_if_possible(prepared);
    throw std::runtime_error{fmt::format("{}\n{}", describe_failure(failure), format_state(prepared, options))};
  } catch (interrupted& signal) {
    if (!all.is_root()) throw;
    record_if_possible(prepared);
    signal.so_far = format_state(prepared, options);
    throw;
  }
  return 0;
}

}  // namespace

void add_encrypt_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "encrypt", run_encrypt, encrypt_footer);
  command.add("IN", options.in, "The directory of the input").require();
  command.add("OUT", options.out, "The directory of the output; created if it does not exist").require();
  command.add("--strategy", options.how, strategies(), "streaming, buffering, pipelined, async or auto");
  command.add("--threads THREADS", options.threads, parse_threads,
              fmt::format("1 to {} (as many as there are processors)", most_threads));
  command.add(
      "--work PASSES", options.work, parse_work,
      fmt::format("How many times each line is encrypted; 0 only converts it to Base64 ({})", cipher_plan{}.work));
  command.add("--cipher", options.cipher, ciphers(),
              fmt::format("xor, or aes for AES-256-CTR ({})", to_string(cipher_plan{}.cipher)));
  command.add_flag("--decrypt", options.decrypt, "Decrypt: IN is the output of freshet encrypt");
  const command_option resume =
      command.add_flag("--resume", options.resume, "Continue a run of the same call that was stopped or failed");
  command
      .add_flag("--force", options.force,
                "Replace files of the same names in OUT; with --decrypt, skip the check of the manifest of IN")
      .exclude(resume);
  command.add_flag("--cold", options.cold, "Drop the files of IN from the page cache first, and prove it");
  command.add_flag("--verify", options.verify,
                   "Read all files of OUT at the end, and compare them with what their inputs become");
  add_streams_option(command, options.streams);
  command.add("--buffer SIZE", options.files.buffer, parse_block, "Bytes of each file's buffer (as it comes)");
  add_access_option(command, options.files.access);
  add_caching_option(command, options.files.caching);
  add_log_options(command, options.log, "the figures");
}

}  // namespace freshet::tool

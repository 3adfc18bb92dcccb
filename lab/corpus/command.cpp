#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/corpus/corpus.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr auto corpus_footer =
    R"(The files are DIR/00001.txt, DIR/00002.txt, … The same --seed, --lines, --chars and --vary give the same files,
however many there are.

Examples:
  freshet corpus /data/small --files 10000 --lines 100 --chars 100
  freshet corpus /data/short --files 100 --lines 500000 --chars 20
  freshet corpus /data/wide --files 100 --lines 100 --chars 100000
  freshet corpus /data/mixed --files 20 --lines 100000 --chars 1000 --vary --seed 7)";

struct corpus_options {
  std::filesystem::path directory;
  corpus_plan plan;
  bool force = false;
  result_files results;
};

// The bytes of the corpus. One that is too large for any disk is wrong usage.
std::uint64_t require_possible(const corpus_plan& plan) {
  try {
    return corpus_bytes(plan);
  } catch (const std::invalid_argument& problem) {
    throw usage_error{"--files, --lines, --chars", problem.what()};
  }
}

// Shows its progress, ten times a second at most.
corpus_progress make_visibly(const corpus_options& options, const stopwatch& watch) {
  const corpus_plan& plan = options.plan;
  const auto all_bytes = static_cast<double>(require_possible(plan));
  progress line;
  double next = 0;
  return make_corpus(options.directory, plan, options.force, [&](const corpus_progress& done) {
    const double seconds = watch.seconds();
    if (seconds < next) return;
    next = seconds + 0.1;
    const double share = static_cast<double>(done.bytes) / all_bytes;
    line.show(
        fmt::format("file {} of {}, {}", std::min(done.files + 1, plan.files), plan.files, format_size(done.bytes)),
        share > 0 && share < 1 ? seconds * (1 / share - 1) : -1);
  });
}

int create_corpus(const corpus_options& options) {
  const corpus_plan& plan = options.plan;
  const stopwatch watch;
  const corpus_progress total = make_visibly(options, watch);
  const double seconds = watch.seconds();
  const double rate = static_cast<double>(total.bytes) / 1e6 / seconds;
  options.results.publish(
      fmt::format("{}: {} files, {} lines, {} bytes, {} MB/s until closed\n", printable(options.directory.string()),
                  total.files, total.lines, total.bytes, format_figure(rate)),
      {{"directory", options.directory.string()},
       {"vary", plan.vary},
       {"seed", plan.seed},
       {"files", total.files},
       {"lines", total.lines},
       {"bytes", total.bytes},
       {"seconds", seconds},
       {"mb_per_second", rate}});
  return 0;
}

unsigned parse_files(std::string_view text) {
  return parse_number<unsigned>(text, 1, most_corpus_files, "a number of files");
}

std::uint64_t parse_count(std::string_view text) {
  return parse_number<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max(), "a number");
}

}  // namespace

void add_corpus_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "corpus", create_corpus, corpus_footer);
  corpus_plan& plan = options.plan;
  command.add("DIR", options.directory, "The directory; created if it does not exist").require();
  command.add("--files FILES", plan.files, parse_files, fmt::format("Number of files, 1 to {}", most_corpus_files))
      .require();
  command.add("--lines NUMBER", plan.lines, parse_count, "Number of lines of each file").require();
  command.add("--chars NUMBER", plan.chars, parse_count, "Number of characters of each line, without its end")
      .require();
  command.add_flag("--vary", plan.vary, "Let lines and characters vary around those means (log-normal)");
  add_seed_option(command, plan.seed, "the content and the lengths");
  command.add_flag("--force", options.force, "Replace existing files, and try even if they do not fit the free space");
  add_json_option(command, options.results, "the figures");
}

}  // namespace freshet::tool

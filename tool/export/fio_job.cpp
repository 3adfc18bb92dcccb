#include "tool/export/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/method/registry.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

const detail::method_entry& find_entry(const trial_plan& plan) { return *detail::find_method(plan.method); }

// fio refuses blocks larger than the file.
std::uint64_t choose_block(const trial_plan& plan) {
  const std::uint64_t block = plan.block != 0 ? plan.block : find_entry(plan).good_block;
  return plan.size != 0 ? std::min(block, plan.size) : block;
}

// When order is kept, one block is in flight while the program fills the next. fio fills a block in almost no time:
// with a depth of two, both would be in flight most of the time, and could complete in any order.
unsigned choose_depth(const trial_plan& plan) {
  const bool one_by_one = !find_entry(plan).asynchronous || (!reads(plan.measured_class) && plan.ordered) ||
                          plan.measured_class == io_class::each_write;
  return one_by_one ? 1 : std::max(1U, plan.depth);
}

std::string_view choose_fallocate(const trial_plan& plan) {
  if (plan.size_ahead) return plan.reserve ? "native" : "truncate";
  return plan.reserve ? "keep" : "none";
}

void add_writing(fio_options& options, const trial_plan& plan) {
  options.emplace_back("fallocate", choose_fallocate(plan));
  if (plan.target == target_kind::overwrite) options.emplace_back("overwrite", "1");
  if (const std::size_t window = find_entry(plan).writeback_window; window != 0)
    options.emplace_back("sync_file_range",
                         fmt::format("wait_before,write:{}", std::max(std::uint64_t{1}, window / choose_block(plan))));
  if (plan.measured_class == io_class::at_close) options.emplace_back("end_fsync", "1");
  // fio opens the file for mmap without O_DSYNC.
  if (plan.measured_class == io_class::each_write)
    options.emplace_back(plan.method == "mmap" ? "fdatasync" : "sync", plan.method == "mmap" ? "1" : "dsync");
}

void add_reading(fio_options& options, const trial_plan& plan) {
  options.emplace_back("invalidate", plan.measured_class == io_class::cold ? "1" : "0");
  // pre_read uses the job's own flags, and with O_DIRECT its memory is not aligned. The file that fio has just created
  // is in the page cache anyway.
  if (plan.measured_class == io_class::warm && !find_entry(plan).direct) options.emplace_back("pre_read", "1");
}

// The path as a job file spells it; empty if it cannot: fio takes `;` and `#` anywhere for the start of a comment, and
// `$` for the start of a variable.
std::string format_path(const std::filesystem::path& directory) {
  std::string out;
  for (const char each : std::filesystem::absolute(directory).string()) {
    const auto byte = static_cast<unsigned char>(each);
    const bool plain = byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= 'a' && byte <= 'z') ||
                       std::string_view{"/._-+,=@~ :"}.find(each) != std::string_view::npos;
    if (!plain) return {};
    if (each == ':') out += '\\';
    out += each;
  }
  return out.back() == ' ' ? std::string{} : out;
}

std::string format_comment(std::string text) {
  std::ranges::replace_if(
      text, [](char each) { return each == '\n' || each == '\r'; }, ' ');
  return "# " + text + "\n";
}

std::string format_preface(const environment& env) {
  std::string out = format_comment(fmt::format(
      "The winners that freshet {} measured on this machine, for fio 3.33 or later to confirm:", env.version));
  out += format_comment(fmt::format("{}, {}, {} ({}){}.", env.machine, env.kernel, env.file_system, env.mount_options,
                                    env.device.empty() ? "" : " on " + env.device));
  out += format_comment(
      "The sections run one after another, and each starts with whatever state of memory and disk the last one left. "
      "Freshet");
  out += format_comment("waits until both are at rest, and repeats. Compare medians of several runs.");
  out += "\n[global]\n";
  if (const std::string path = format_path(env.directory); !path.empty())
    out += fmt::format("directory={}\n", path);
  else
    out += format_comment(fmt::format("a fio job cannot name this directory: run fio in {}", env.directory));
  return out + "thread=1\nunlink=1\n";
}

std::string format_section(const class_verdict& verdict) {
  const ranked_candidate& best = verdict.ranking.front();
  std::string out = fmt::format("\n[{}]\n", to_string(verdict.measured_class));
  out += format_comment(fmt::format("{}: {} MB/s on this machine, in {} trials ({})", describe(best.plan),
                                    format_figure(best.rate.value), best.rate.count, to_string(verdict.state)));
  for (const std::string& each : list_fio_differences(best.plan)) out += format_comment(each);
  for (const auto& [name, value] : make_fio_options(best.plan)) out += fmt::format("{}={}\n", name, value);
  return out + "stonewall\n";
}

// Why a question has no section; empty if it has one.
std::string explain_absence(const class_verdict& verdict) {
  if (verdict.ranking.empty()) return "no valid trial answered this";
  const trial_plan& best = verdict.ranking.front().plan;
  return fio_engine(best.method).empty() ? describe(best) + " won, for which fio has no engine" : "";
}

}  // namespace

std::string_view fio_engine(std::string_view method) {
  const auto* const entry = detail::find_method(method);
  return entry == nullptr ? std::string_view{} : entry->fio_engine;
}

fio_options make_fio_options(const trial_plan& plan) {
  fio_options options{{"ioengine", std::string{fio_engine(plan.method)}},
                      {"rw", reads(plan.measured_class) ? "read" : "write"},
                      {"bs", std::to_string(choose_block(plan))},
                      {"iodepth", std::to_string(choose_depth(plan))},
                      {"size", std::to_string(plan.size)},
                      {"numjobs", std::to_string(std::max(1U, plan.jobs))},
                      {"direct", find_entry(plan).direct ? "1" : "0"}};
  if (plan.jobs > 1) options.emplace_back("group_reporting", "1");
  if (reads(plan.measured_class))
    add_reading(options, plan);
  else
    add_writing(options, plan);
  return options;
}

std::vector<std::string> list_fio_differences(const trial_plan& plan) {
  std::vector<std::string> differences;
  const auto add = [&](std::string_view text) { differences.emplace_back(text); };
  if (const std::string_view own = find_workload(plan.workload).fio_difference;
      !reads(plan.measured_class) && !own.empty())
    add(own);
  if (reads(plan.measured_class))
    add("fio does not look at the bytes that it reads; freshet computes a checksum of all of them.");
  if (choose_depth(plan) < plan.depth && !reads(plan.measured_class))
    add("In order, one block is in flight while the program fills the next: with fio that is iodepth=1.");
  if (plan.method == "uring")
    add("freshet registers its buffers where memory may be locked: add fixedbufs=1 registerfiles=1 there.");
  if (plan.size % choose_block(plan) != 0) add("fio leaves out the end of the file, which does not fill a block.");
  if (plan.method == "dontcache")
    add("fio 3.33 has no RWF_DONTCACHE, and keeps the pages. From 3.40 on: ioengine=pvsync2 and uncached=1.");
  if (plan.method == "writebehind") add("fio does not drop pages from the page cache after they are written.");
  if (plan.method == "mmap" && !reads(plan.measured_class))
    add("fio creates the whole file first, and does not count that time.");
  if (plan.measured_class == io_class::at_close || plan.measured_class == io_class::each_write)
    add("fio does not make the file's name durable.");
  if (plan.measured_class == io_class::cold)
    add("fio asks the kernel to drop the file from the page cache, but does not prove that it did.");
  return differences;
}

std::string format_fio_job(std::span<const class_verdict> verdicts, const environment& env) {
  std::string out = format_preface(env);
  for (const class_verdict& each : verdicts)
    if (const std::string why = explain_absence(each); why.empty())
      out += format_section(each);
    else
      out += "\n" + format_comment(fmt::format("{}: {}", to_string(each.measured_class), why));
  return out;
}

}  // namespace freshet::tool

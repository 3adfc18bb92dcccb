#include "tool/export/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/method/registry.hpp"
#include "tool/base/size.hpp"

namespace freshet::tool {
namespace {

const detail::method_entry& entry_of(const trial_plan& plan) { return *detail::find_method(plan.method); }

// fio refuses blocks larger than the file.
std::uint64_t block_of(const trial_plan& plan) {
  const std::uint64_t block = plan.block != 0 ? plan.block : entry_of(plan).good_block;
  return plan.size != 0 ? std::min(block, plan.size) : block;
}

// In order, one block is in flight while the program fills the next. fio takes next to no time to fill one, so that
// with two it would have both in flight nearly always, in whatever order they arrive.
unsigned depth_of(const trial_plan& plan) {
  const bool one_by_one =
      !entry_of(plan).asynchronous || (!reads(plan.what) && plan.ordered) || plan.what == io_class::each_write;
  return one_by_one ? 1 : std::max(1U, plan.depth);
}

std::string_view fallocate_of(const trial_plan& plan) {
  if (plan.size_ahead) return plan.reserve ? "native" : "truncate";
  return plan.reserve ? "keep" : "none";
}

void add_writing(fio_options& options, const trial_plan& plan) {
  options.emplace_back("fallocate", fallocate_of(plan));
  if (plan.target == target_kind::overwrite) options.emplace_back("overwrite", "1");
  if (const std::size_t window = entry_of(plan).writeback_window; window != 0)
    options.emplace_back("sync_file_range",
                         fmt::format("wait_before,write:{}", std::max(std::uint64_t{1}, window / block_of(plan))));
  if (plan.what == io_class::at_close) options.emplace_back("end_fsync", "1");
  // fio's mappings know nothing of how the file was opened.
  if (plan.what == io_class::each_write)
    options.emplace_back(plan.method == "mmap" ? "fdatasync" : "sync", plan.method == "mmap" ? "1" : "dsync");
}

void add_reading(fio_options& options, const trial_plan& plan) {
  options.emplace_back("invalidate", plan.what == io_class::cold ? "1" : "0");
  // fio reads ahead of time as it reads later, and with O_DIRECT into memory that is not aligned for it. The file that
  // it has just made is in the page cache even so.
  if (plan.what == io_class::warm && !entry_of(plan).direct) options.emplace_back("pre_read", "1");
}

// As fio reads it in a job file; empty where it could not: it takes `;` and `#` for the start of a comment wherever
// they stand, and `$` for that of a variable.
std::string path_for_fio(const std::filesystem::path& directory) {
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

std::string comment(std::string text) {
  std::ranges::replace_if(
      text, [](char each) { return each == '\n' || each == '\r'; }, ' ');
  return "# " + text + "\n";
}

std::string preface(const environment& here) {
  std::string out =
      comment(fmt::format("What won here by freshet {}, for fio 3.33 or later to confirm:", here.version));
  out += comment(fmt::format("{}, {}, {} ({}){}.", here.machine, here.kernel, here.file_system, here.mount_options,
                             here.device.empty() ? "" : " on " + here.device));
  out += comment(
      "The sections run one after another. Each leaves the machine's memory and disk as it happens to; freshet");
  out += comment("waits until both are at rest, and repeats. Compare medians of several runs.");
  out += "\n[global]\n";
  if (const std::string path = path_for_fio(here.directory); !path.empty())
    out += fmt::format("directory={}\n", path);
  else
    out += comment(fmt::format("fio cannot be given this name: run it in {}", here.directory));
  return out + "thread=1\nunlink=1\n";
}

std::string section(const verdict& found) {
  const ranked_candidate& best = found.ranking.front();
  std::string out = fmt::format("\n[{}]\n", to_string(found.what));
  out += comment(fmt::format("{}: {} MB/s here, in {} trials ({})", describe(best.plan), format_figure(best.rate.value),
                             best.rate.count, to_string(found.state)));
  for (const std::string& each : fio_differences(best.plan)) out += comment(each);
  for (const auto& [name, value] : fio_options_of(best.plan)) out += fmt::format("{}={}\n", name, value);
  return out + "stonewall\n";
}

}  // namespace

std::string_view fio_engine(std::string_view method) {
  const auto* const entry = detail::find_method(method);
  return entry == nullptr ? std::string_view{} : entry->fio_engine;
}

fio_options fio_options_of(const trial_plan& plan) {
  fio_options options{{"ioengine", std::string{fio_engine(plan.method)}},
                      {"rw", reads(plan.what) ? "read" : "write"},
                      {"bs", std::to_string(block_of(plan))},
                      {"iodepth", std::to_string(depth_of(plan))},
                      {"size", std::to_string(plan.size)},
                      {"numjobs", std::to_string(std::max(1U, plan.jobs))},
                      {"direct", entry_of(plan).direct ? "1" : "0"}};
  if (plan.jobs > 1) options.emplace_back("group_reporting", "1");
  if (reads(plan.what))
    add_reading(options, plan);
  else
    add_writing(options, plan);
  return options;
}

std::vector<std::string> fio_differences(const trial_plan& plan) {
  std::vector<std::string> differences;
  const auto add = [&](std::string_view text) { differences.emplace_back(text); };
  if (!reads(plan.what) && plan.workload == workload_kind::text)
    add("fio makes no text: what that takes, and the blocks filled meanwhile, are missing from its figure.");
  if (reads(plan.what)) add("fio looks at no byte of what it reads; freshet sums all of them up.");
  if (depth_of(plan) < plan.depth && !reads(plan.what))
    add("In order, one block is in flight while the program fills the next: with fio that is iodepth=1.");
  if (plan.method == "uring")
    add("Where memory may be locked, freshet registers it: add fixedbufs=1 registerfiles=1 there.");
  if (plan.size % block_of(plan) != 0) add("fio leaves out the end of the file, which fills no block.");
  if (plan.method == "dontcache")
    add("fio 3.33 has no RWF_DONTCACHE, and keeps the pages. From 3.40 on: ioengine=pvsync2 and uncached=1.");
  if (plan.method == "writebehind") add("fio does not drop the pages that were written out.");
  if (plan.method == "mmap" && !reads(plan.what)) add("fio makes the whole file first, and does not count that.");
  if (plan.what == io_class::at_close || plan.what == io_class::each_write)
    add("fio does not make the file's name durable.");
  if (plan.what == io_class::cold) add("fio has the kernel drop the file, but does not prove that it did.");
  return differences;
}

std::string fio_job(std::span<const verdict> found, const environment& here) {
  std::string out = preface(here);
  for (const verdict& each : found)
    if (!each.ranking.empty() && !fio_engine(each.ranking.front().plan.method).empty()) out += section(each);
  return out;
}

}  // namespace freshet::tool

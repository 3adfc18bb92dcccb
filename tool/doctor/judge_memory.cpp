#include <fmt/format.h>

#include "tool/base/text.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr double little_memory = 0.1;  // of all memory
constexpr std::uint64_t swap_is_noted = 64 * mib;
constexpr std::uint64_t dirty_is_noted = 256 * mib;
constexpr std::uint64_t low_dirty_limit = 64 * mib;  // some blocks of the larger methods
constexpr double high_dirty_limit = 0.4;             // of all memory

constexpr auto keep_memory =
    "Compare only ways that were measured in one run: freshet brings memory to the same state "
    "before each trial. On the host, switch the balloon's page reporting off.";

void judge_touch(const machine_facts& facts, std::vector<finding>& findings) {
  const auto& balloon = facts.memory.reporting_balloon;
  if (facts.measured && facts.measured->touch.fresh > 0)
    return findings.push_back(judge_first_touch(facts.measured->touch, balloon));
  if (balloon.empty()) return;
  findings.push_back({.weight = severity::may_matter,
                      .topic = "first touch",
                      .summary = "memory may be slow at first touch",
                      .text = "This virtual machine gives free memory back to its host, so that memory may be slow "
                              "when it is touched first, also by the page cache.",
                      .evidence = fmt::format("{}, bit 5 (page reporting)", balloon.string()),
                      .remedy = keep_memory});
}

void judge_swap(const machine_facts& facts, std::vector<finding>& findings) {
  const std::uint64_t used = facts.memory.swap_used;
  const bool now = facts.measured && facts.measured->swapped_pages > 0;
  std::string evidence = fmt::format("{}: {} used", (facts.roots.proc / "swaps").string(), format_size(used));
  if (!now && used < swap_is_noted)
    return findings.push_back(fine("swap", "Memory is not swapped out.", std::move(evidence)));
  if (now)
    evidence += fmt::format("; {}/vmstat: {} moved within a second", facts.roots.proc.string(),
                            format_count(facts.measured->swapped_pages, "page"));
  findings.push_back({.weight = now ? severity::matters : severity::may_matter,
                      .topic = "swap",
                      .summary = now ? "memory being swapped" : "memory swapped out",
                      .text = now ? "Memory is being swapped in or out, which uses disk and processors."
                                  : "Some memory is swapped out, and will be read back when its process wants it.",
                      .evidence = std::move(evidence),
                      .remedy = "Free memory, then: sudo swapoff -a && sudo swapon -a"});
}

void judge_free_memory(const machine_facts& facts, std::vector<finding>& findings) {
  const memory_facts& memory = facts.memory;
  if (memory.total == 0) return;
  const std::string evidence = fmt::format("{}/meminfo: MemAvailable is {} of {}", facts.roots.proc.string(),
                                           format_size(memory.available), format_size(memory.total));
  if (static_cast<double>(memory.available) >= little_memory * static_cast<double>(memory.total))
    return findings.push_back(fine("free memory", "There is memory for the page cache.", evidence));
  findings.push_back({.weight = severity::matters,
                      .topic = "free memory",
                      .summary = "little free memory",
                      .text = "Little memory is available, so that the page cache must drop pages before it takes new "
                              "ones.",
                      .evidence = evidence,
                      .remedy = "End programs that hold memory; `ps -e --sort -rss -o rss,comm | head` lists them."});
}

void judge_dirty_limit(const machine_facts& facts, std::vector<finding>& findings) {
  const memory_facts& memory = facts.memory;
  if (!memory.limit || memory.total == 0) return;
  const std::uint64_t limit = memory.limit->bytes;
  finding result{.topic = "dirty ratios",
                 .text = fmt::format("Writers wait for the disk once {} are not yet on it.", format_size(limit)),
                 .evidence = fmt::format("{}: {}", memory.limit->file.string(), memory.limit->setting)};
  if (limit < low_dirty_limit) {
    result.weight = severity::may_matter;
    result.summary = "writers wait for the disk early";
    result.text = fmt::format(
        "Writers through the page cache wait for the disk as soon as {} are not yet on it, much "
        "earlier than usual.",
        format_size(limit));
    result.remedy = "sudo sysctl vm.dirty_ratio=20 vm.dirty_background_ratio=10";
  } else if (static_cast<double>(limit) > high_dirty_limit * static_cast<double>(memory.total)) {
    result.weight = severity::may_matter;
    result.summary = "much may stay in memory unwritten";
    result.text = fmt::format(
        "Up to {} may stay in memory before writers wait for the disk, so that most files never "
        "meet it while they are written.",
        format_size(limit));
    result.remedy = "sudo sysctl vm.dirty_ratio=20 vm.dirty_background_ratio=10";
  }
  findings.push_back(std::move(result));
}

void judge_write_back(const machine_facts& facts, std::vector<finding>& findings) {
  if (!facts.memory.writes_back_by_itself)
    findings.push_back({.weight = severity::may_matter,
                        .topic = "writeback",
                        .summary = "periodic writeback switched off",
                        .text = "The kernel does not write data to disks by itself after a while, so that it stays in "
                                "memory until there is too much of it.",
                        .evidence = fmt::format("{}/sys/vm/dirty_writeback_centisecs: 0", facts.roots.proc.string()),
                        .remedy = "sudo sysctl vm.dirty_writeback_centisecs=500"});
  if (facts.memory.dirty < dirty_is_noted) return;
  findings.push_back({.weight = severity::may_matter,
                      .topic = "data to be written",
                      .summary = fmt::format("{} waiting to be written", format_size(facts.memory.dirty / mib * mib)),
                      .text = "Data that others have written is not on the disks yet, and will be written soon.",
                      .evidence = fmt::format("{}/meminfo: Dirty and Writeback are {}", facts.roots.proc.string(),
                                              format_size(facts.memory.dirty / mib * mib)),
                      .remedy = "sync"});
}

}  // namespace

finding judge_first_touch(const touch_speeds& touch, const std::filesystem::path& reporting_balloon) {
  std::string evidence = fmt::format("touched at {} MB/s, and at {} MB/s right after it was freed",
                                     format_figure(touch.fresh), format_figure(touch.reused));
  if (!reporting_balloon.empty()) evidence += fmt::format("; {}, bit 5 (page reporting)", reporting_balloon.string());
  if (!touch.is_slow())
    return fine("first touch", "New memory is about as fast as memory just freed.", std::move(evidence));
  return {.weight = severity::matters,
          .topic = "first touch",
          .summary = "memory slow at first touch",
          .text =
              "Memory that has been free for a while is slow when it is touched first, also by the page cache, "
              "because the hypervisor must bring it back. What is measured later on the same memory is faster.",
          .evidence = std::move(evidence),
          .remedy = keep_memory};
}

void judge_memory(const machine_facts& facts, std::vector<finding>& findings) {
  judge_touch(facts, findings);
  judge_swap(facts, findings);
  judge_free_memory(facts, findings);
  judge_dirty_limit(facts, findings);
  judge_write_back(facts, findings);
}

}  // namespace freshet::tool

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

constexpr double others_matter = 1 << 20;         // bytes per second
constexpr double fastest_medium = 20e-6;          // seconds: a write and a flush over any bus take longer
constexpr double fastest_rotating_medium = 1e-3;  // a quarter of a revolution at 15,000 per minute
constexpr std::size_t writers_named = 3;

bool is_disk(const block_device& device) { return device.below.empty() && device.backing_file.empty(); }

std::vector<const block_device*> list_disks(const storage_facts& storage) {
  std::vector<const block_device*> disks;
  for (const block_device& each : storage.devices)
    if (is_disk(each)) disks.push_back(&each);
  return disks;
}

void judge_scheduler(const block_device& device, std::vector<finding>& findings) {
  if (device.scheduler.empty()) return;
  const std::string file = (device.at / "queue/scheduler").string();
  finding result{.topic = "scheduler",
                 .text = fmt::format("The scheduler of {} does not get in the way.", device.name),
                 .evidence = fmt::format("{}: {}", file, device.scheduler)};
  const bool rotates = device.rotational && !device.is_virtual && !device.is_memory && is_disk(device);
  if (device.scheduler == "bfq" || device.scheduler == "kyber") {
    result.weight = severity::may_matter;
    result.summary = fmt::format("scheduler {} on {}", device.scheduler, device.name);
    result.text = fmt::format(
        "The scheduler {} holds back some of the transfers to {} in favour of others, which "
        "depends on what else is going on.",
        device.scheduler, device.name);
    result.remedy = fmt::format("echo {} | sudo tee {}", rotates ? "mq-deadline" : "none", quote_for_shell(file));
  } else if (rotates && device.scheduler == "none") {
    result.weight = severity::may_matter;
    result.summary = fmt::format("no scheduler on {}", device.name);
    result.text =
        fmt::format("{} rotates, and nothing sorts its transfers, so that they depend on their order.", device.name);
    result.remedy = fmt::format("echo mq-deadline | sudo tee {}", quote_for_shell(file));
  }
  findings.push_back(std::move(result));
}

void judge_layers(const block_device& device, std::vector<finding>& findings) {
  const auto note = [&](severity weight, std::string summary, std::string text, std::string evidence,
                        std::string remedy) {
    findings.push_back({weight, "device", std::move(summary), std::move(text), std::move(evidence), std::move(remedy)});
  };
  if (!device.backing_file.empty())
    note(severity::may_matter, "file system inside a file",
         fmt::format("{} is a file, so that the page cache may hold everything twice, and two file systems work.",
                     device.name),
         fmt::format("{}: {}", (device.at / "loop/backing_file").string(), device.backing_file),
         "Measure on the file system that has this file, if your files will be there.");
  if (device.mapping.starts_with("CRYPT-"))
    note(severity::may_matter, "disk encrypted",
         fmt::format("{} is encrypted, so that all I/O costs processor time as well.", device.name),
         fmt::format("{}: {}", (device.at / "dm/uuid").string(), device.mapping), "");
  if (device.is_memory)
    note(severity::may_matter, "files in memory", fmt::format("{} is memory: no disk is measured.", device.name),
         device.at.string(), "Measure in the directory where your files will be.");
  if (!device.array_work.empty() && device.array_work != "idle" && device.array_work != "frozen")
    note(severity::matters, fmt::format("RAID busy with {}", device.array_work),
         fmt::format("The RAID {} is busy with work of its own.", device.name),
         fmt::format("{}: {}", (device.at / "md/sync_action").string(), device.array_work),
         "Wait until it is done: cat /proc/mdstat");
}

std::string describe_cache(const block_device& disk) {
  return fmt::format("{}: {}; fua: {}", (disk.at / "queue/write_cache").string(),
                     disk.write_cache.empty() ? "unknown" : disk.write_cache, disk.fua.empty() ? "unknown" : disk.fua);
}

void judge_flushes(const machine_facts& facts, std::vector<finding>& findings) {
  const auto disks = list_disks(facts.storage);
  const block_device* const disk = disks.empty() ? nullptr : disks.front();
  if (disk != nullptr && disk->is_memory) return;
  const bool rotates = disk != nullptr && disk->rotational && !disk->is_virtual;
  std::string evidence = disk == nullptr ? "" : describe_cache(*disk);
  const auto flush = facts.measured ? facts.measured->flush : std::nullopt;
  if (flush) {
    evidence = fmt::format("median of {} writes of 4 KiB with fdatasync: {} microseconds{}{}", flush->count,
                           format_figure(flush->median * 1e6), evidence.empty() ? "" : "; ", evidence);
    if (flush->median < (rotates ? fastest_rotating_medium : fastest_medium)) {
      findings.push_back(
          {.weight = severity::may_matter,
           .topic = "flushes",
           .summary = "flushes return at once",
           .text = fmt::format("Flushes return in {} microseconds, sooner than {} can be reached: either the "
                               "device has a protected cache, or it ignores them.",
                               format_figure(flush->median * 1e6), rotates ? "a rotating disk" : "any disk"),
           .evidence = std::move(evidence),
           .remedy = "Find out which. If it ignores them, figures for durable files mean nothing."});
      return;
    }
  }
  if (disk != nullptr && disk->is_virtual && disk->write_cache == "write through") {
    findings.push_back({.weight = severity::may_matter,
                        .topic = "flushes",
                        .summary = "the kernel sends no flushes",
                        .text = fmt::format("{} says that it has no volatile cache, so that the kernel sends it no "
                                            "flushes. Whether its host keeps that promise cannot be seen from here.",
                                            disk->name),
                        .evidence = std::move(evidence),
                        .remedy = "Look at the disk's cache mode on the host: writethrough and none keep it."});
    return;
  }
  if (flush)
    findings.push_back(fine("flushes", "Flushes take as long as if they reach a device.", std::move(evidence)));
}

std::string name_writers(const written_by_name& writers) {
  std::vector<std::pair<std::uint64_t, std::string>> by_bytes;
  for (const auto& [name, bytes] : writers) by_bytes.emplace_back(bytes, name);
  std::ranges::sort(by_bytes, std::greater{});
  if (by_bytes.empty()) return "no process that this user may see wrote meanwhile";
  std::string text;
  for (std::size_t i = 0; i < std::min(by_bytes.size(), writers_named); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "wrote meanwhile: " : ", ", replace_controls(by_bytes[i].second),
                        format_size(by_bytes[i].first));
  return text;
}

void judge_other_io(const machine_facts& facts, std::vector<finding>& findings) {
  const auto disks = list_disks(facts.storage);
  if (!facts.measured || disks.empty()) return;
  const measured_facts& measured = *facts.measured;
  std::string names;
  for (const block_device* const each : disks) names += (names.empty() ? "" : ", ") + each->name;
  std::string evidence =
      fmt::format("{} over {:.1f} s: {} MB/s read, {} MB/s written", names, measured.seconds,
                  format_figure(measured.read_by_others / 1e6), format_figure(measured.written_by_others / 1e6));
  if (measured.read_by_others + measured.written_by_others < others_matter)
    return findings.push_back(fine("other I/O", "Others leave the disk alone.", std::move(evidence)));
  findings.push_back({.weight = severity::matters,
                      .topic = "other I/O",
                      .summary = "others use the disk",
                      .text = "Others read from the disk or write to it.",
                      .evidence = fmt::format("{}; {}", evidence, name_writers(measured.writers)),
                      .remedy = "End them or wait until they have ended; as root, `iotop -o` lists them."});
}

}  // namespace

void judge_devices(const machine_facts& facts, std::vector<finding>& findings) {
  judge_other_io(facts, findings);
  for (const block_device& each : facts.storage.devices) {
    judge_layers(each, findings);
    judge_scheduler(each, findings);
  }
  judge_flushes(facts, findings);
}

}  // namespace freshet::tool

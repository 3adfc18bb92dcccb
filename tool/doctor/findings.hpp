// What the facts about a machine mean for measurements on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/enum_names.hpp"
#include "tool/doctor/facts.hpp"
#include "tool/measure/environment.hpp"

namespace freshet::tool {

/// Whether a finding distorts measurements, the worst first.
enum class severity : std::uint8_t { matters, may_matter, fine };
template <>
inline constexpr auto enum_names<severity> = std::to_array<std::string_view>({"matters", "may matter", "fine"});

struct finding {
  severity weight = severity::fine;
  std::string topic = {};     ///< one or two words, the same in every version: "governor", "first touch"
  std::string summary = {};   ///< a few words, as part of a list: "memory slow at first touch"
  std::string text = {};      ///< a sentence or two, with a full stop
  std::string evidence = {};  ///< the file and what it says, or what was measured
  std::string remedy = {};    ///< what to do, with the command where there is one; empty if nothing helps or is needed
};

/// That something distorts nothing.
[[nodiscard]] inline finding fine(std::string topic, std::string text, std::string evidence) {
  return {.topic = std::move(topic), .text = std::move(text), .evidence = std::move(evidence)};
}

/// What follows from the facts: a finding for each that was seen, also for what is fine; the worst first.
[[nodiscard]] std::vector<finding> find_distortions(const machine_facts& facts);

/// What matters, for one line: "memory slow at first touch; disk 96 % full". Empty if nothing does.
[[nodiscard]] std::string summarize(const std::vector<finding>& findings);

/// What new memory is like, by what was measured.
[[nodiscard]] finding judge_first_touch(const touch_speeds& touch, const std::filesystem::path& reporting_balloon);

/// What matters in the environment's directory of all that can be read at once, and of the memory as the environment
/// says. @throws freshet::error  if the directory does not exist
[[nodiscard]] std::vector<finding> find_known_distortions(const environment& env);

/// The parts of find_distortions(): what the facts say of the processors, the memory, the kernel's interfaces, the file
/// system, the devices, and the programs that watch files.
void judge_processors(const machine_facts& facts, std::vector<finding>& findings);
void judge_memory(const machine_facts& facts, std::vector<finding>& findings);
void judge_interfaces(const machine_facts& facts, std::vector<finding>& findings);
void judge_file_system(const machine_facts& facts, std::vector<finding>& findings);
void judge_devices(const machine_facts& facts, std::vector<finding>& findings);
void judge_watchers(const machine_facts& facts, std::vector<finding>& findings);

}  // namespace freshet::tool

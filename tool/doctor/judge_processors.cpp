#include <fmt/format.h>

#include "tool/base/text.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

constexpr double stolen_matters = 0.05;   // of a moment: a tick of 10 ms is less
constexpr double stolen_is_noted = 0.01;  // since boot
constexpr double busy_matters = 0.1;      // of the processors
constexpr double limit_is_noted = 0.95;   // of the frequency that is possible

bool sets_its_own_frequency(const std::string& driver) {
  return driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate-epp");
}

finding judge_governors(const processor_facts& facts) {
  finding result{.topic = "governor"};
  const auto& governors = facts.governors;
  if (governors.size() == 1 && governors.contains("performance")) {
    result.text = "The governor is performance: the processors do not wait for load before they run at full speed.";
    result.evidence = format_count(governors.begin()->second, "processor");
    return result;
  }
  const bool lowest = governors.contains("powersave") && !sets_its_own_frequency(facts.frequency_driver);
  std::string names;
  for (const auto& [name, count] : governors)
    names += fmt::format("{}{} on {}", names.empty() ? "" : ", ", name, count);
  result.weight = lowest ? severity::matters : severity::may_matter;
  result.summary = lowest ? "processors kept at their lowest frequency" : "processor frequency follows the load";
  result.text = lowest ? "The governor powersave keeps processors at their lowest frequency."
                       : "The processors' frequency follows their load, so that short or rare work runs at a lower one "
                         "than long work.";
  result.evidence =
      fmt::format("{} ({} of {})", facts.governor_file.string(), names, format_count(facts.count, "processor"));
  result.remedy = "sudo cpupower frequency-set -g performance";
  return result;
}

finding judge_limit(const processor_facts& facts) {
  if (!facts.limit || facts.limit->allowed >= limit_is_noted * facts.limit->possible)
    return fine("frequency limit", "No limit keeps the processors below their highest frequency.",
                "scaling_max_freq and cpuinfo_max_freq of all processors");
  return {.weight = severity::may_matter,
          .topic = "frequency limit",
          .summary = "processors limited in frequency",
          .text = fmt::format("A processor may run at {:.1f} GHz at most, although it can run at {:.1f} GHz.",
                              facts.limit->allowed, facts.limit->possible),
          .evidence = facts.limit->file.string(),
          .remedy = fmt::format("sudo cpupower frequency-set -u {:.1f}GHz", facts.limit->possible)};
}

finding judge_heat(const machine_facts& facts) {
  const throttle_counters& since_boot = facts.processors.throttled;
  const bool now = since_boot.cooling_steps > 0 || (facts.measured && facts.measured->throttled.heat_events > 0);
  const std::string evidence =
      fmt::format("{}/class/thermal/cooling_device*/cur_state: {} in all; thermal_throttle counters: {}",
                  facts.roots.sys.string(), since_boot.cooling_steps, since_boot.heat_events);
  if (!now && since_boot.heat_events == 0)
    return fine("heat", "No processor is or was slowed down because of heat.", evidence);
  return {.weight = now ? severity::matters : severity::may_matter,
          .topic = "heat",
          .summary = now ? "processors slowed down by heat" : "processors were slowed down by heat before",
          .text = now ? "The processors are slowed down now, because they or the machine are too hot."
                      : "Processors were slowed down because of heat since the last start; long measurements may do "
                        "it again.",
          .evidence = evidence,
          .remedy = "Let the machine cool down, look after its fans, and leave pauses between long measurements."};
}

void judge_quota(const machine_facts& facts, std::vector<finding>& findings) {
  const auto& quota = facts.processors.quota;
  const bool withheld = facts.measured && facts.measured->throttled.quota_seconds > 0;
  if (!quota || (quota->value >= facts.processors.count && !withheld)) return;
  findings.push_back(
      {.weight = withheld ? severity::matters : severity::may_matter,
       .topic = "quota",
       .summary = "processor time limited by a quota",
       .text = withheld ? "The control group's quota was used up while freshet doctor worked, so that it had to wait."
                        : fmt::format("This process may use {:.2g} of {}: work that uses more is stopped for a while.",
                                      quota->value, format_count(facts.processors.count, "processor")),
       .evidence = quota->file.string(),
       .remedy = "Measure outside this control group or container, or raise its quota."});
}

finding judge_stolen_time(const machine_facts& facts) {
  const double since_boot = facts.processors.stolen_since_boot;
  const auto& now = facts.measured;
  const bool matters = now && now->stolen && *now->stolen >= stolen_matters;
  std::string evidence =
      fmt::format("{}/stat: {:.1f} % since the last start", facts.roots.proc.string(), 100 * since_boot);
  if (now && now->stolen)
    evidence += fmt::format("; {:.0f} % while all processors worked for a moment", 100 * *now->stolen);
  if (!matters && since_boot < stolen_is_noted)
    return fine("stolen time", "The hypervisor, if there is one, takes no processor time.", evidence);
  return {.weight = matters ? severity::matters : severity::may_matter,
          .topic = "stolen time",
          .summary = matters ? fmt::format("{:.0f} % of processor time stolen by the hypervisor", 100 * *now->stolen)
                             : "processor time stolen by the hypervisor before",
          .text = matters ? "The hypervisor gives processor time to others while there is work here."
                          : "The hypervisor has given processor time to others while there was work here.",
          .evidence = evidence,
          .remedy =
              "Measure when the host is quieter, or on a machine with processors of its own. freshet marks the "
              "trials that were disturbed."};
}

finding judge_others(const measured_facts& measured, const machine_facts& facts) {
  const unsigned count = std::max(facts.processors.count, 1U);
  const std::string evidence = fmt::format("{}/stat over {:.1f} s: {:.2f} of {}", facts.roots.proc.string(),
                                           measured.seconds, measured.busy_others, format_count(count, "processor"));
  if (measured.busy_others < busy_matters * count)
    return fine("other processes", "Other processes leave the processors alone.", evidence);
  return {.weight = severity::matters,
          .topic = "other processes",
          .summary = fmt::format("{:.0f} % of the processors used by others", 100 * measured.busy_others / count),
          .text = "Other processes use the processors.",
          .evidence = evidence,
          .remedy = "End them or wait until they have ended; `top` lists them."};
}

}  // namespace

void judge_processors(const machine_facts& facts, std::vector<finding>& findings) {
  const processor_facts& processors = facts.processors;
  if (!processors.governors.empty()) {
    findings.push_back(judge_governors(processors));
    findings.push_back(judge_limit(processors));
  }
  findings.push_back(judge_heat(facts));
  judge_quota(facts, findings);
  findings.push_back(judge_stolen_time(facts));
  if (facts.measured) findings.push_back(judge_others(*facts.measured, facts));
}

}  // namespace freshet::tool

#include "tool/doctor/findings.hpp"

#include <algorithm>

#include "tool/measure/memory.hpp"

namespace freshet::tool {

std::vector<finding> find_distortions(const machine_facts& facts) {
  std::vector<finding> findings;
  judge_memory(facts, findings);
  judge_processors(facts, findings);
  judge_watchers(facts, findings);
  judge_devices(facts, findings);
  judge_file_system(facts, findings);
  judge_interfaces(facts, findings);
  std::ranges::stable_sort(findings, {}, &finding::weight);
  return findings;
}

std::string summarize(const std::vector<finding>& findings) {
  std::string line;
  for (const finding& each : findings)
    if (each.weight == severity::matters) line += (line.empty() ? "" : "; ") + each.summary;
  return line;
}

std::vector<finding> find_known_distortions(const environment& env) {
  const machine_facts facts = read_machine_facts(env.directory);
  std::vector<finding> findings = find_distortions(facts);
  const touch_speeds touch{.fresh = env.first_touch_fresh, .reused = env.first_touch_reused};
  if (touch.fresh > 0) findings.insert(findings.begin(), judge_first_touch(touch, facts.memory.reporting_balloon));
  std::erase_if(findings, [](const finding& each) { return each.weight != severity::matters; });
  return findings;
}

}  // namespace freshet::tool

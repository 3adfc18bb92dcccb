#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

enum class watcher_kind : std::uint8_t { scanner, indexer };

struct known_watcher {
  std::string_view name;  // how the names of its processes begin, of which the kernel keeps 15 characters
  watcher_kind kind = watcher_kind::scanner;
  std::string_view remedy = {};
};

constexpr std::array known_watchers{
    known_watcher{"clamonacc", watcher_kind::scanner, "sudo systemctl stop clamav-clamonacc"},
    known_watcher{"clamd", watcher_kind::scanner, "sudo systemctl stop clamav-daemon"},
    known_watcher{"wdavdaemon", watcher_kind::scanner, "sudo mdatp exclusion folder add --path DIRECTORY"},
    known_watcher{"mdatp", watcher_kind::scanner, "sudo mdatp exclusion folder add --path DIRECTORY"},
    known_watcher{"falcon-sensor", watcher_kind::scanner},
    known_watcher{"ds_am", watcher_kind::scanner},
    known_watcher{"kesl", watcher_kind::scanner},
    known_watcher{"mfetpd", watcher_kind::scanner},
    known_watcher{"rtvscand", watcher_kind::scanner},
    known_watcher{"s1-agent", watcher_kind::scanner},
    known_watcher{"savscand", watcher_kind::scanner},
    known_watcher{"baloo_file", watcher_kind::indexer, "balooctl suspend"},
    known_watcher{"localsearch", watcher_kind::indexer, "localsearch daemon --terminate"},
    known_watcher{"plocate-build", watcher_kind::indexer, "Wait until it has ended."},
    known_watcher{"recollindex", watcher_kind::indexer},
    known_watcher{"tracker-extract", watcher_kind::indexer, "tracker3 daemon --terminate"},
    known_watcher{"tracker-miner", watcher_kind::indexer, "tracker3 daemon --terminate"},
    known_watcher{"updatedb", watcher_kind::indexer, "Wait until it has ended."}};

const known_watcher* find_known(std::string_view program) {
  const auto* const known =
      std::ranges::find_if(known_watchers, [&](const known_watcher& each) { return program.starts_with(each.name); });
  return known == known_watchers.end() ? nullptr : known;
}

bool is_known(std::string_view program, watcher_kind kind) {
  const known_watcher* const known = find_known(program);
  return known != nullptr && known->kind == kind;
}

// Programs that were seen, and what shows them.
class seen_watchers {
 public:
  void add(const std::string& program, std::string evidence) {
    if (std::ranges::find(programs_, program) == programs_.end()) programs_.push_back(program);
    evidence_ += (evidence_.empty() ? "" : "; ") + std::move(evidence);
  }
  void add(const fanotify_group& group) {
    add(group.program, fmt::format("{} of {}: {}", group.file.string(), group.program, group.mark));
  }

  [[nodiscard]] bool empty() const noexcept { return programs_.empty(); }
  [[nodiscard]] std::string names() const {
    std::string all = programs_.front();
    for (std::size_t i = 1; i < programs_.size(); ++i)
      all += (i + 1 == programs_.size() ? " and " : ", ") + programs_[i];
    return all;
  }
  [[nodiscard]] finding as_finding(finding result) const {
    const known_watcher* const known = find_known(programs_.front());
    result.evidence = evidence_;
    result.remedy = known != nullptr && !known->remedy.empty()
                        ? known->remedy
                        : "Have it leave this directory out, or stop it while you measure.";
    return result;
  }

 private:
  std::vector<std::string> programs_;
  std::string evidence_;
};

void add_running(const watcher_facts& facts, watcher_kind kind, seen_watchers& seen) {
  for (const auto& [program, file] : facts.programs)
    if (is_known(program, kind)) seen.add(program, fmt::format("{}: {}", file.string(), program));
}

finding judge_scanners(const watcher_facts& facts, const std::string& looked_at) {
  seen_watchers here;
  seen_watchers elsewhere;
  for (const fanotify_group& each : facts.groups)
    if (each.delays) (each.covers ? here : elsewhere).add(each);
  if (!here.empty())
    return here.as_finding(
        {.weight = severity::matters,
         .topic = "virus scanner",
         .summary = fmt::format("accesses to files wait for {}", here.names()),
         .text = fmt::format("Programs that open or read a file here wait until {} permits it, as virus scanners do "
                             "after they have read the file themselves.",
                             here.names())});
  add_running(facts, watcher_kind::scanner, elsewhere);
  if (!elsewhere.empty())
    return elsewhere.as_finding({.weight = severity::may_matter,
                                 .topic = "virus scanner",
                                 .summary = fmt::format("virus scanner at work: {}", elsewhere.names()),
                                 .text = fmt::format("A virus scanner is at work ({}): it takes processor time, and "
                                                     "may read files while they are measured.",
                                                     elsewhere.names())});
  return fine("virus scanner", "No virus scanner was seen.", looked_at);
}

finding judge_indexers(const watcher_facts& facts, const std::string& looked_at) {
  seen_watchers seen;
  add_running(facts, watcher_kind::indexer, seen);
  for (const fanotify_group& each : facts.groups)
    if (each.covers && !each.delays && !is_known(each.program, watcher_kind::scanner)) seen.add(each);
  if (seen.empty()) return fine("indexer", "No indexer was seen.", looked_at);
  return seen.as_finding(
      {.weight = severity::may_matter,
       .topic = "indexer",
       .summary = fmt::format("files watched by {}", seen.names()),
       .text = fmt::format("Files that were just written may be read by {}, at any time.", seen.names())});
}

}  // namespace

void judge_watchers(const machine_facts& facts, std::vector<finding>& findings) {
  const std::string looked_at =
      fmt::format("names of processes, and fanotify marks in {}/PID/fdinfo", facts.roots.proc.string());
  findings.push_back(judge_scanners(facts.watchers, looked_at));
  findings.push_back(judge_indexers(facts.watchers, looked_at));
}

}  // namespace freshet::tool

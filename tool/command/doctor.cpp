
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tool/base/device_lock.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/results.hpp"
#include "tool/doctor/findings.hpp"
#include "tool/doctor/measuring.hpp"
#include "tool/report/doctor_report.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr auto doctor_footer =
    R"(Examples:
  freshet doctor                            what distorts measurements here, and what to do about it
  freshet doctor /data --details            also what was checked and is fine
  freshet doctor /data --check && freshet tune /data
                                            tunes only if nothing is known to distort it
  freshet doctor /data --json -
It reads /proc and /sys, watches the machine, and writes some KiB in the directory, for a second in all. It needs
no root; it says what it could not see. "!" matters, "?" may matter.)";

constexpr int distorted = 1;  // exit code of --check

struct doctor_options {
  std::filesystem::path directory = ".";
  system_roots roots;
  bool check = false;
  bool details = false;
  result_files results;
};

measured_facts measure(machine_facts& facts) {
  const device_lock alone{facts.storage.place, print_waiting("doctor")};
  progress line;
  return measure_facts(
      facts, [&line](std::string_view step, double left) { line.show(step, left); }, facts.unseen);
}

int run_doctor(const doctor_options& options) {
  options.results.require_writable();
  machine_facts facts = read_machine_facts(options.directory, options.roots);
  const system_roots own;
  if (options.roots.proc == own.proc && options.roots.sys == own.sys)
    facts.measured = measure(facts);
  else
    facts.unseen.push_back({"what others do, stolen time, memory, flushes", "only this machine can be measured"});
  const std::vector<finding> findings = find_distortions(facts);
  options.results.publish(format_findings(facts, findings, standard_screen(), options.details),
                          make_json(facts, findings));
  return options.check && !summarize(findings).empty() ? distorted : 0;
}

}  // namespace

void add_doctor_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "doctor", "Show what distorts measurements in a directory, and what to do", run_doctor, doctor_footer);
  command.add("DIR", options.directory, "The directory");
  command.add_flag("--details", options.details, "Show also what was checked and is fine");
  command.add_flag("--check", options.check, "Exit with 1 if something matters (\"!\"), for scripts");
  command.add("--proc-root DIR", options.roots.proc, "Read procfs here, such as a copy of another machine's");
  command.add("--sys-root DIR", options.roots.sys, "Read sysfs here; with either, nothing is measured");
  add_json_option(command, options.results, "the same, with all that is fine");
  command.explain_exit(distorted, "it failed; with --check, something matters");
}

}  // namespace freshet::tool

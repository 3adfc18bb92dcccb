#include <fmt/format.h>

#include "tool/base/text.hpp"
#include "tool/doctor/findings.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t enough_locked_memory = std::uint64_t{8} << 20;  // the usual limit; two blocks of 4 MiB

void judge_uring(const machine_facts& facts, std::vector<finding>& findings) {
  const interface_facts& interfaces = facts.interfaces;
  // 1: for processes outside kernel.io_uring_group and without CAP_SYS_ADMIN; 2: for all
  // (Documentation/admin-guide/sysctl/kernel.rst).
  const std::int64_t disabled = interfaces.uring_disabled ? interfaces.uring_disabled->value : 0;
  if (disabled == 0 && interfaces.uring_refused.empty())
    return findings.push_back(fine("io_uring", "io_uring can be used.",
                                   interfaces.uring_disabled
                                       ? fmt::format("{}: 0", interfaces.uring_disabled->file.string())
                                       : "the kernel has no kernel.io_uring_disabled"));
  finding result{.weight = severity::may_matter,
                 .topic = "io_uring",
                 .summary = "io_uring disabled",
                 .text =
                     "io_uring cannot be used here, so that its methods are not measured, and other machines may "
                     "have a faster way.",
                 .evidence = interfaces.uring_refused,
                 .remedy = "In a container, allow io_uring_setup in its seccomp profile."};
  if (disabled != 0) {
    result.evidence = fmt::format("{}: {}", interfaces.uring_disabled->file.string(), disabled);
    result.remedy = "sudo sysctl kernel.io_uring_disabled=0";
  }
  if (disabled == 1 && interfaces.uring_refused.empty())
    result.text =
        "Only some users may use io_uring: root, and members of the group kernel.io_uring_group. A profile "
        "that they make may name a method that others cannot use.";
  findings.push_back(std::move(result));
}

void judge_locked_memory(const machine_facts& facts, std::vector<finding>& findings) {
  const auto& limit = facts.interfaces.locked_memory;
  if (!limit || *limit >= enough_locked_memory)
    return findings.push_back(fine("locked memory", "io_uring may register the memory of its blocks.",
                                   limit ? fmt::format("RLIMIT_MEMLOCK is {}", format_size(*limit))
                                         : "no RLIMIT_MEMLOCK applies to this process"));
  findings.push_back({.weight = severity::may_matter,
                      .topic = "locked memory",
                      .summary = "little memory may be locked",
                      .text = "Little memory may be locked, so that io_uring cannot register its blocks, and each "
                              "transfer costs a little more processor time.",
                      .evidence = fmt::format("{}/self/limits: Max locked memory is {}", facts.roots.proc.string(),
                                              format_size(*limit)),
                      .remedy = "As root: ulimit -l unlimited; for a service: LimitMEMLOCK=infinity"});
}

}  // namespace

void judge_interfaces(const machine_facts& facts, std::vector<finding>& findings) {
  judge_uring(facts, findings);
  judge_locked_memory(facts, findings);
}

}  // namespace freshet::tool

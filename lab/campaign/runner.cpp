#include "lab/campaign/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "lab/campaign/cold_start.hpp"
#include "lab/campaign/unit.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/text.hpp"

#include "tool/store/attempt.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

class runner {
 public:
  runner(journal& kept, const campaign& record, const campaign_machine& machine, const runner_choice& choice,
         const campaign_listener& listener)
      : kept_{kept},
        record_{record},
        plan_{parse_plan(record.plan, record.name)},
        machine_{machine},
        choice_{choice},
        listener_{listener},
        last_boot_{record.last_boot} {
    for (fs::path& input : plan_.inputs) input = record.directory / input;
  }

  departure run(arrival how) {
    if (const std::uint64_t count = kept_.mark_cut_off(record_.id); count != 0)
      listener_.note("the step that was cut off begins anew");
    if (const auto end = count_boot(how)) return *end;
    all_ = kept_.steps(record_.id).size();
    while (true) {
      if (const auto end = asked_to_end()) return *end;
      const std::optional<journaled_step> next = kept_.next_step(record_.id);
      if (!next) return end_as(campaign_state::done, {}, departure::done);
      if (needs_reboot()) return reboot_for(*next);
      const std::optional<attempt_start> start = prepare(*next);
      if (!start) continue;  // somebody asked to stop while it was waiting
      if (const auto end = make(*next, *start)) return *end;
    }
  }

 private:
  departure end_as(campaign_state state, std::string_view why, departure how) {
    kept_.set_state(record_.id, state, why);
    return how;
  }

  std::optional<departure> count_boot(arrival how) {
    if (how == arrival::by_user) {
      kept_.forget_boots(record_.id);
      return {};
    }
    if (kept_.count_boot(record_.id) <= most_boots) return {};
    return end_as(campaign_state::stopped, fmt::format("{} boots in a row finished no step", most_boots),
                  departure::stopped);
  }

  [[nodiscard]] bool is_asked_to_end() const {
    return kept_.state_of(record_.id) != campaign_state::running || fs::exists(choice_.stop_file);
  }

  std::optional<departure> asked_to_end() {
    throw_if_interrupted();
    switch (kept_.state_of(record_.id)) {
      case campaign_state::paused:
        return departure::paused;
      case campaign_state::stopped:
        return departure::stopped;
      case campaign_state::aborted:
      case campaign_state::done:
        return departure::aborted;
      case campaign_state::running:
        break;
    }
    if (!fs::exists(choice_.stop_file)) return {};
    return end_as(campaign_state::paused, fmt::format("the file {} exists", choice_.stop_file.string()),
                  departure::paused);
  }

  [[nodiscard]] bool needs_reboot() const {
    return plan_.between == between_steps::reboot && machine_.boot_id() == last_boot_;
  }

  [[nodiscard]] std::string describe_place(const journaled_step& next) const {
    return fmt::format("freshet campaign \"{}\", step {} of {}", replace_controls(record_.name), next.position, all_);
  }
  [[nodiscard]] std::string describe_ways_out() const {
    return fmt::format(
        "To stop it: `freshet campaign pause --store {0}`, or create the file {1}; or boot with \"{2}\" on the "
        "kernel's "
        "command line.",
        quote_for_shell(kept_.file().string()), choice_.stop_file.string(), kernel_word);
  }

  departure reboot_for(const journaled_step& next) {
    machine_.tell_everyone(
        fmt::format("{}: this machine reboots now for it. {}", describe_place(next), describe_ways_out()));
    listener_.note("the machine reboots");
    machine_.reboot();
    return departure::rebooting;
  }

  // How the machine was brought into its state; empty if somebody asked to stop meanwhile.
  std::optional<attempt_start> prepare(const journaled_step& next) {
    attempt_start start{.boot = machine_.boot_id(), .cold = {}, .evidence = {}};
    cold_start state;
    switch (plan_.between) {
      case between_steps::nothing:
        return start;
      case between_steps::drop_caches:
        state = machine_.drop_caches(record_.directory, plan_.inputs);
        break;
      case between_steps::remount:
        state = machine_.remount(mounted_from_json(record_.mount), plan_.inputs);
        break;
      case between_steps::reboot: {
        const std::string quiet = wait_for_quiet(next);
        if (is_asked_to_end()) return {};
        state = prove_uncached(plan_.inputs, fmt::format("booted anew ({}); the machine was {}", start.boot, quiet));
        break;
      }
    }
    start.cold = state.cold;
    start.evidence = std::move(state.evidence);
    return start;
  }

  std::string wait_for_quiet(const journaled_step& next) {
    machine_.tell_everyone(
        fmt::format("{}: begins when this machine is quiet, in {:.0f} s at the latest; then it reboots. {}",
                    describe_place(next), choice_.quiet.most, describe_ways_out()));
    listener_.note("waiting until the machine is quiet");
    return wait_until_machine_quiet(machine_, choice_.quiet, [&] { return is_asked_to_end(); });
  }

  std::optional<departure> make(const journaled_step& next, const attempt_start& start) {
    const std::int64_t attempt = kept_.begin(record_.id, next.id, start);
    last_boot_ = start.boot;
    listener_.begins(next, all_);
    const attempt_result result = machine_.run_step(call_for(next.planned, attempt));
    kept_.finish(record_.id, attempt, result, words_in_plan(next.planned));
    listener_.ends(next, result);
    if (result.exit_code == 0 || !plan_.stops_at_failure) return {};
    return end_as(campaign_state::stopped,
                  fmt::format("step {} ended with exit code {}{}", next.position, result.exit_code, reason_of(result)),
                  departure::stopped);
  }

  // The call of freshet as the plan has it, with its {NAMES}; empty for the shell, whose runs may differ in anything.
  [[nodiscard]] std::string words_in_plan(const planned_step& step) const {
    if (step.for_shell) return {};
    const auto same = [&](const plan_step& each) { return each.name == step.name && !each.for_shell; };
    const auto planned = std::ranges::find_if(plan_.steps, same);
    if (planned == plan_.steps.end()) return {};
    std::string words = "freshet";
    for (const std::string& word : planned->words) words += ' ' + quote_for_shell(word);
    return words;
  }

  [[nodiscard]] step_call call_for(const planned_step& step, std::int64_t attempt) const {
    step_call call{.words = {"sh", "-c"},
                   .directory = record_.directory,
                   .environment = record_.environment,
                   .time_limit = plan_.time_limit};
    if (!step.for_shell) call.words = {choice_.program.string()};
    call.words.insert(call.words.end(), step.words.begin(), step.words.end());
    if (!step.for_shell) call.words.insert(call.words.end(), {"--store", kept_.file().string()});
    call.environment.push_back(fmt::format("{}={}", attempt_variable, describe_attempt(attempt, kept_.file())));
    return call;
  }

  journal& kept_;
  const campaign& record_;
  campaign_plan plan_;
  const campaign_machine& machine_;
  const runner_choice& choice_;
  const campaign_listener& listener_;
  std::string last_boot_;
  std::uint64_t all_ = 0;
};

}  // namespace

departure run_campaign(journal& kept, const campaign& record, const campaign_machine& machine, arrival how,
                       const runner_choice& choice, const campaign_listener& listener) {
  return runner{kept, record, machine, choice, listener}.run(how);
}

fs::path stop_file_of(const fs::path& store) { return store.string() + ".stop"; }

}  // namespace freshet::tool

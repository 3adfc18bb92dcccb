// The journal of campaigns in the store: what is planned, what was begun, what came out. Each function is one
// transaction that is durable when it returns, so a campaign goes on from there whenever the power goes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/campaign/plan.hpp"
#include "tool/base/enum_names.hpp"

namespace freshet::tool {

enum class campaign_state : std::uint8_t {
  running,  ///< steps are left, and nobody asked to stop
  paused,   ///< `resume` goes on
  stopped,  ///< it cannot go on by itself; `why` has the reason, and `resume` tries again
  done,     ///< every step has a result
  aborted,
};
template <>
inline constexpr auto enum_names<campaign_state> = std::to_array<std::string_view>({"running", "paused", "stopped",
                                                                                    "done", "aborted"});
[[nodiscard]] constexpr bool is_over(campaign_state state) {
  return state == campaign_state::done || state == campaign_state::aborted;
}

/// What a campaign needs to go on from nothing but the store.
struct campaign {
  std::int64_t id = 0;
  std::string name;
  std::string plan;                      ///< its text
  std::filesystem::path directory;       ///< where its steps run
  std::vector<std::string> environment;  ///< of its steps: "NAME=value"
  std::string mount;                     ///< how to mount what is remounted, as JSON; empty: nothing is
  std::uint64_t seed = 0;
  std::string unit;  ///< the file of its systemd unit; empty: it has none
  std::string started;
  std::string ended;
  campaign_state state = campaign_state::running;
  std::string why;        ///< why it is paused or stopped
  std::string last_boot;  ///< the boot in which it was started, or began its last step
  unsigned boots = 0;     ///< in a row without a finished step
};

/// One try at a step.
struct step_attempt {
  std::int64_t id = 0;
  unsigned number = 1;  ///< from 1; from 2 on, it repeats an attempt that was cut off
  /// "finished", "cut off", or "running": at work, or cut off and not yet noticed
  std::string state;
  std::string started;
  std::string ended;
  std::string boot;
  std::optional<bool> cold;  ///< empty: nobody asked
  std::string evidence;      ///< what proves that it was cold, or why it was not
  std::optional<int> exit_code;
  std::optional<double> seconds;
  std::string output;
  /// Of the store, that it made; or the one that its trials joined (journal::finish()).
  std::vector<std::int64_t> runs;
};

struct journaled_step {
  std::int64_t id = 0;
  std::uint64_t position = 1;  ///< in the order of the campaign, from 1
  planned_step planned;
  std::vector<step_attempt> attempts;

  /// Null while there is none. A step has one result at most.
  [[nodiscard]] const step_attempt* result() const;
};

/// How an attempt begins.
struct attempt_start {
  std::string boot;
  std::optional<bool> cold;
  std::string evidence;
};

/// How an attempt ended.
struct attempt_result {
  int exit_code = 0;  ///< 128 and the signal's number if a signal ended it
  double seconds = 0;
  std::string output;  ///< the end of what it printed
};

/// ": freshet bench: …", the last line that a failed attempt printed; empty if it printed none, and after success.
[[nodiscard]] std::string reason_of(const attempt_result& ended);

/// All functions throw freshet::error as store's do.
class journal {
 public:
  enum class access : std::uint8_t { read, write };
  explicit journal(const std::filesystem::path& store, access how);
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  ~journal();

  [[nodiscard]] const std::filesystem::path& file() const noexcept;

  /// Adds a campaign and all its steps, and sets its id.
  void add(campaign& record, const std::vector<planned_step>& steps);
  /// The newest campaign, or that with this id; empty if there is none.
  [[nodiscard]] std::optional<campaign> find(std::optional<std::int64_t> id = {}) const;
  [[nodiscard]] campaign_state state_of(std::int64_t id) const;
  /// Unless it is over already.
  void set_state(std::int64_t id, campaign_state state, std::string_view why = {});
  /// One more boot without a finished step. Returns how many there were in a row.
  unsigned count_boot(std::int64_t id);
  void forget_boots(std::int64_t id);

  /// The steps in their order, with all attempts.
  [[nodiscard]] std::vector<journaled_step> steps(std::int64_t id) const;
  /// The first step without a result.
  [[nodiscard]] std::optional<journaled_step> next_step(std::int64_t id) const;
  /// Marks attempts that never ended as cut off. Precondition: none is at work. Returns how many there were.
  std::uint64_t mark_cut_off(std::int64_t id);
  /// Begins the next attempt at a step. Returns its id.
  [[nodiscard]] std::int64_t begin(std::int64_t id, std::int64_t step, const attempt_start& how);
  /// Keeps the attempt's result, which makes the step done. The trials of a call of freshet that succeeded join the run
  /// of the first such step of the same name, if both ran the same command in the same directory, and, unless they
  /// processed lines, with files of the same size; but a search (tune) stays a run of its own. The joined run has the
  /// command line `words`.
  void finish(std::int64_t id, std::int64_t attempt, const attempt_result& result, const std::string& words = {});

 private:
  class database;
  std::unique_ptr<database> database_;
};

}  // namespace freshet::tool

#include "lab/peers/contest.hpp"

#include <fmt/format.h>

#include "tool/base/child.hpp"

namespace freshet::tool {

// A peer's fault is that peer's failure. Any other error ends the run.
template <typename Work>
void peer_contest::note_failure(peer_row& row, const std::string& doing, Work work) {
  try {
    work();
  } catch (const child_failure& failed) {
    row.failure = doing + failed.what();
    row.last_words = failed.last_words();
  }
}

void peer_contest::build() {
  for (std::size_t at = 0; at < catalogue_.rows.size(); ++at)
    if (catalogue_.rows[at].is_active() && programs_[at].run.empty()) build(at);
}

// Builds the peer of that row for all of its variants that have the same toolchain.
void peer_contest::build(std::size_t first) {
  const std::size_t index = catalogue_.rows[first].peer_index;
  const std::string toolchain = catalogue_.rows[first].toolchain;
  const peer& of = catalogue_.peers[index];
  show_(fmt::format("building {}", of.name), -1);
  built_peer built;
  note_failure(catalogue_.rows[first],
               "not built: ", [&] { built = builder_.build(of, *builder_.tools().find(of, toolchain)); });
  for (std::size_t at = first; at < catalogue_.rows.size(); ++at) {
    peer_row& row = catalogue_.rows[at];
    if (!row.is_active() || row.peer_index != index || row.toolchain != toolchain) continue;
    row.failure = catalogue_.rows[first].failure;
    row.last_words = catalogue_.rows[first].last_words;
    row.build_seconds = built.seconds;
    programs_[at] = {
        .name = row.name, .run = built.run, .folder = built.folder, .method = method_of(row, runner_.request())};
    programs_[at].run.insert(programs_[at].run.end(), row.arguments.begin(), row.arguments.end());
    if (of.options.contains("buffer"))
      programs_[at].buffer = runner_.request().buffer == 0 ? row.buffer : runner_.request().buffer;
  }
}

void peer_contest::check() {
  for (std::size_t at = 0; at < catalogue_.rows.size(); ++at) {
    peer_row& row = catalogue_.rows[at];
    if (!row.is_active()) continue;
    show_(fmt::format("checking {}", row.name), -1);
    note_failure(row, "", [&] {
      runner_.check(programs_[at]);
      row.checked = true;
    });
  }
}

void peer_contest::count_system_calls() {
  for (std::size_t at = 0; at < catalogue_.rows.size(); ++at) {
    peer_row& row = catalogue_.rows[at];
    if (!row.is_active()) continue;
    show_(fmt::format("counting the system calls of {}", row.name), -1);
    note_failure(row, "", [&] { row.system_calls = runner_.system_calls_per_mib(programs_[at]); });
  }
}

void peer_contest::measure(const std::vector<scheduled_trial>& order, const trial_listener& keep) {
  make_in_order(order, [&](const scheduled_trial& next, std::size_t number, double seconds_left) {
    peer_row& row = catalogue_.rows[next.plan];
    if (!row.is_active()) return;
    show_(fmt::format("trial {} of {}: {}", number, order.size(), row.name), seconds_left);
    note_failure(row, "", [&] { run_trial(next, keep); });
  });
}

void peer_contest::run_trial(const scheduled_trial& next, const trial_listener& keep) {
  peer_trial trial = runner_.run(programs_[next.plan]);
  trial.figures.round = next.round;
  trial.figures.position = next.position;
  keep(trial);
  catalogue_.rows[next.plan].add(trial);
}

void leave_out_unbuildable(peer_catalogue& catalogue, toolchains& tools) {
  std::erase_if(catalogue.rows, [&](const peer_row& row) {
    if (row.toolchain.empty()) return false;
    const peer& of = catalogue.peers[row.peer_index];
    const peer_toolchain* const own = tools.find(of, row.toolchain);
    return own == nullptr || own == tools.find(of);
  });
  for (peer_row& row : catalogue.rows) {
    if (!row.is_active()) continue;
    const peer& of = catalogue.peers[row.peer_index];
    if (tools.find(of) == nullptr) row.left_out = "not here, " + tools.describe_missing(of);
  }
}

}  // namespace freshet::tool

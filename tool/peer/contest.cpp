#include "tool/peer/contest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/interrupt.hpp"
#include "tool/measure/clock.hpp"
#include "tool/peer/child.hpp"

namespace freshet::tool {

// What a peer does wrong is its own failure. What this program cannot do is none, and ends the run.
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
  for (std::size_t at = 0; at < all_.rows.size(); ++at)
    if (all_.rows[at].goes_on() && programs_[at].run.empty()) build(at);
}

// The peer of that row, and so all its variants.
void peer_contest::build(std::size_t first) {
  const std::size_t place = all_.rows[first].of;
  const peer& of = all_.peers[place];
  tell_(fmt::format("building {}", of.name), -1);
  built_peer made;
  note_failure(all_.rows[first], "not built: ", [&] { made = builder_.build(of, *builder_.tools().find(of)); });
  for (std::size_t at = first; at < all_.rows.size(); ++at) {
    peer_row& row = all_.rows[at];
    if (!row.goes_on() || row.of != place) continue;
    row.failure = all_.rows[first].failure;
    row.last_words = all_.rows[first].last_words;
    row.build_seconds = made.seconds;
    programs_[at] = {.name = row.name, .run = made.run, .folder = made.folder};
    programs_[at].run.insert(programs_[at].run.end(), row.arguments.begin(), row.arguments.end());
    if (of.options.contains("buffer"))
      programs_[at].buffer = stand_.request().buffer == 0 ? of.buffer : stand_.request().buffer;
  }
}

void peer_contest::check() {
  for (std::size_t at = 0; at < all_.rows.size(); ++at) {
    peer_row& row = all_.rows[at];
    if (!row.goes_on()) continue;
    tell_(fmt::format("checking {}", row.name), -1);
    note_failure(row, "", [&] {
      stand_.check(programs_[at]);
      row.checked = true;
      row.system_calls = stand_.system_calls_per_mib(programs_[at]);
    });
  }
}

void peer_contest::measure(const std::vector<scheduled_trial>& order, run_log& log) {
  const stopwatch watch;
  double done = 0;
  for (const scheduled_trial& next : order) {
    const double left = done == 0 ? -1 : watch.seconds() / done * (static_cast<double>(order.size()) - done);
    ++done;
    peer_row& row = all_.rows[next.plan];
    if (!row.goes_on()) continue;
    tell_(fmt::format("trial {} of {}: {}", done, order.size(), row.name), left);
    note_failure(row, "", [&] { make_trial(next, log); });
  }
}

void peer_contest::make_trial(const scheduled_trial& next, run_log& log) {
  peer_trial made = stand_.run(programs_[next.plan]);
  made.figures.round = next.round;
  made.figures.position = next.position;
  log.keep(record_of(made));
  all_.rows[next.plan].trials.push_back(std::move(made));
}

void leave_out_unbuildable(peer_catalogue& all, toolchains& tools) {
  for (peer_row& row : all.rows) {
    if (!row.goes_on()) continue;
    const peer& of = all.peers[row.of];
    if (tools.find(of) == nullptr) row.left_out = "not here, " + tools.missing(of);
  }
}

}  // namespace freshet::tool

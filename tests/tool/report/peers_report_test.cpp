// The results of `freshet peers`: published figures beside today's.
#include "tool/report/peers_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace freshet::tool {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

peer_row row_of(const std::string& name, double seconds) {
  peer_trial trial;
  trial.figures.bytes = 100 * mib;
  trial.figures.seconds_to_close = seconds;
  trial.figures.seconds_to_disk = 2 * seconds;
  trial.figures.cpu_whole = seconds;
  peer_row row;
  row.name = name;
  row.trials = {trial};
  return row;
}

peer published_by(std::vector<published_row> rows) {
  peer result;
  result.published = std::move(rows);
  return result;
}

// A table of variants, and a table of programs, one of which was not measured.
peer_catalogue ladder() {
  peer_catalogue all;
  all.peers = {published_by({{"b", "programs", 1, "second", {"20.0", "-"}, 0},
                             {"a/rung-1", "ladder", 1, "better", {"30.0"}, 0},
                             {"a/rung-0", "ladder", 0, "naive", {"10.0"}, 0}}),
               published_by({{"a", "programs", 0, "first", {"10.0 @ 90 %", "40.0"}, 0},
                             {"a", "bytes", 0, "putc", {"50.0", "25.0"}, 0}})};
  all.rows = {row_of("a/rung-0", 1), row_of("a/rung-1", 0.5)};
  return all;
}

// Rows of equal trials; those in `telling` say which buffer they use.
std::vector<peer_row> equal_rows(const std::string& telling) {
  constexpr unsigned rounds = 20;
  std::vector<peer_row> rows;
  for (const std::string name : {"a", "b"}) {
    peer_row row = row_of(name, 1);
    row.trials[0].figures.plan.method = name;
    row.trials[0].figures.plan.block = name == telling ? 65536 : 0;
    row.trials.resize(rounds, row.trials[0]);
    for (unsigned round = 0; round < rounds; ++round) row.trials[round].figures.round = round;
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(peers_in_a_tie, are_not_preferred_for_leaving_the_block_to_a_library) {
  const class_verdict first = rank_peers(equal_rows("a"), {});
  const class_verdict second = rank_peers(equal_rows("b"), {});
  ASSERT_EQ(first.ranking.size(), 2U);
  EXPECT_EQ(first.ranking[0].plan.method, second.ranking[0].plan.method);
  for (const ranked_candidate& ranked : first.ranking)
    EXPECT_EQ(ranked.plan.block, ranked.plan.method == "a" ? 65536U : 0U);
}

TEST(published_figures, stand_beside_todays_in_their_order) {
  EXPECT_EQ(format_published(ladder(), {}),
            "\"Creating text files\", 2006, 100 MB, beside today, to close; MB of 2^20 bytes:\n"
            "program  then         today's peer  today\n"
            "first    10.0 @ 90 %  a/rung-0      100 @ 50 %  x 10.0\n"
            "second   20.0         b             -\n"
            "\n"
            "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n"
            "rung  change  then          today\n"
            "0     naive   10.0            100\n"
            "1     better  30.0  x 3.00    200  x 2.00\n");
}

TEST(published_figures, are_those_of_the_same_circumstances) {
  EXPECT_NE(format_published(ladder(), {.reserve = true}).find("40.0  a/rung-0"), std::string::npos)
      << format_published(ladder(), {.reserve = true});
  EXPECT_EQ(format_published(ladder(), {.workload = workload_kind::bytes}),
            "One byte per call, published of 512 MiB, and today, times Linux; MB of 2^20 bytes:\n"
            "way   Windows  Linux  today's peer  today\n"
            "putc     50.0   25.0  a/rung-0        100  x 4.00\n");
}

TEST(published_figures, are_left_out_if_no_such_program_was_measured) {
  peer_catalogue all = ladder();
  all.rows.clear();
  EXPECT_EQ(format_published(all, {}), "");
}

}  // namespace
}  // namespace freshet::tool

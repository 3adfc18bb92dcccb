// The results of `freshet peers`: published figures beside today's.
#include "lab/peers/report.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/peers/published_rows.hpp"
#include "tests/support/made_up_trials.hpp"

namespace freshet::tool {
namespace {

using test::published;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

peer_row row_of(const std::string& name, double seconds) {
  peer_trial trial;
  trial.figures = test::make_trial({}, seconds, 0, {.bytes = 100 * mib, .disk = 2, .cpu = seconds});
  peer_row row;
  row.name = name;
  row.add(trial);
  return row;
}

peer published_by(std::vector<published_row> rows) {
  peer result;
  result.published = std::move(rows);
  return result;
}

published_row with(std::set<std::string> options, published_row row) {
  row.options = std::move(options);
  return row;
}

// A table of variants, and a table of programs, one of which was not measured.
peer_catalogue ladder() {
  peer_catalogue all;
  all.peers = {published_by({published("b", "programs", 1, "second", {"20.0"}),
                             published("a/rung-1", "ladder", 1, "better", {"30.0"}),
                             published("a/rung-0", "ladder", 0, "naive", {"10.0"}),
                             with({"reserve"}, published("a/rung-0", "ladder", 0, "naive", {"5.0"}))}),
               published_by({published("a", "programs", 0, "first", {"10.0 @ 90 %"}),
                             with({"reserve"}, published("a", "programs", 0, "first", {"40.0"})),
                             published("a", "bytes", 0, "putc", {"50.0", "25.0"})})};
  all.rows = {row_of("a/rung-0", 1), row_of("a/rung-1", 0.5)};
  return all;
}

// Rows of equal trials; those in `telling` say which buffer they use.
std::vector<peer_row> equal_rows(const std::string& telling) {
  constexpr unsigned rounds = 20;
  std::vector<peer_row> rows;
  for (const std::string name : {"a", "b"}) {
    peer_row row = row_of(name, 1);
    row.measured.plan = {.method = name, .block = name == telling ? std::size_t{65536} : 0};
    std::vector<trial_result>& trials = row.measured.trials;
    trials.resize(rounds, trials[0]);
    for (unsigned round = 0; round < rounds; ++round) trials[round].round = round;
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
  EXPECT_EQ(format_published(ladder(), {.size = 100 * mib}, {}),
            "\"Creating text files\", 2006, 100 MiB, beside today, to close; MB of 2^20 bytes:\n"
            "program  then         today's peer  today\n"
            "first    10.0 @ 90 %  a/rung-0      100 @ 50 %  x 10.0\n"
            "Also published: second (20.0)\n"
            "\n"
            "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n"
            "rung  change  then          today\n"
            "0     naive   10.0            100\n"
            "1     better  30.0  x 3.00    200  x 2.00\n");
}

TEST(published_figures, are_those_of_the_same_options) {
  EXPECT_EQ(format_published(ladder(), {.size = 100 * mib, .reserve = true}, {}),
            "\"Creating text files\", 2006, 100 MiB, reserve, beside today, to close; MB of 2^20 bytes:\n"
            "program  then  today's peer  today\n"
            "first    40.0  a/rung-0      100 @ 50 %  x 2.50\n"
            "\n"
            "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n"
            "rung  change  then    today\n"
            "0     naive    5.0      100\n"
            "1     better     -      200  x 2.00\n");
  // Nothing was published of both.
  EXPECT_EQ(format_published(ladder(), {.size = 100 * mib, .reserve = true, .no_cache = true}, {}),
            "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n"
            "rung  change  then    today\n"
            "0     naive      -      100\n"
            "1     better     -      200  x 2.00\n");
  EXPECT_EQ(format_published(ladder(), {.workload = workload_kind::bytes, .size = 100 * mib}, {}),
            "One byte per call, published of 512 MiB, and today, times Linux; MB of 2^20 bytes:\n"
            "way   Windows  Linux  today's peer  today\n"
            "putc     50.0   25.0  a/rung-0        100  x 4.00\n");
}

TEST(published_figures, of_files_of_another_size_are_not_compared) {
  EXPECT_EQ(format_published(ladder(), {.size = 200 * mib}, {}),
            "Published figures are of files of 100 MiB: --size 100M sets them beside today's.\n"
            "\n"
            "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n"
            "rung  change  then    today\n"
            "0     naive      -      100\n"
            "1     better     -      200  x 2.00\n");
  EXPECT_EQ(format_published(ladder(), {.workload = workload_kind::bytes, .size = mib}, {}),
            "Published figures are of files of 100 MiB: --size 100M sets them beside today's.\n");
}

TEST(published_figures, of_another_buffer_are_not_compared) {
  peer_catalogue all;
  published_row row = published("a", "programs", 0, "raw", {"50.0"});
  row.buffer = 65536;
  all.peers = {published_by({row, published("b", "programs", 1, "other", {"10.0"})})};
  all.rows = {row_of("a", 1), row_of("b", 1)};
  all.rows[0].buffer = 262'144;
  const peer_request wanted{.size = 100 * mib};
  const std::string heading =
      "\"Creating text files\", 2006, 100 MiB, beside today, to close; MB of 2^20 bytes:\n"
      "program  then  today's peer  today\n";
  const std::string other = "other    10.0  b             100 @ 50 %  x 10.0\n";
  EXPECT_EQ(format_published(all, wanted, {}), heading + other + "Also published: raw (50.0)\n");
  all.rows[0].buffer = 65536;
  EXPECT_EQ(format_published(all, wanted, {}), heading + "raw      50.0  a             100 @ 50 %  x 2.00\n" + other);
}

TEST(published_figures, are_left_out_if_no_such_program_was_measured) {
  peer_catalogue all = ladder();
  all.rows.clear();
  EXPECT_EQ(format_published(all, {.size = 100 * mib}, {}), "");
}

}  // namespace
}  // namespace freshet::tool

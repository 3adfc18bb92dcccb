// All that `freshet peers` prints of made-up trials.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/peers/report.hpp"
#include "tests/lab/peers/published_rows.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;
using test::published;

class peers_screen : public test::screen_test {};
class peers_list : public test::screen_test {};
class published_table : public test::screen_test {};

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr screen narrow;
constexpr screen wide{.colours = true, .unicode = true, .width = 132};

peer_row row_of(const std::string& name, peer_kind kind, std::string title) {
  peer_row row;
  row.name = name;
  row.family = name.substr(0, name.find_first_of("-/"));
  row.language = row.family == "cpp" ? "C++" : "Rust";
  row.title = std::move(title);
  row.kind = kind;
  row.checked = true;
  row.build_seconds = 2.5;
  return row;
}

// Six rounds of 100 MiB, each 1 % slower than the one before.
peer_row measured(peer_row row, double seconds, const peer_request& wanted) {
  for (unsigned round = 0; round < 6; ++round) {
    const trial_plan plan{.method = row.name, .block = row.buffer, .size = wanted.size};
    peer_trial trial{
        .request = wanted,
        .figures = test::make_trial(plan, seconds * (1 + 0.01 * round), round, {.disk = 2, .cpu = 0.75 * seconds}),
        .method_at_work = "buffered",
        .why_not_cold = {}};
    trial_result& figures = trial.figures;
    figures.started = test::made_up_time(1);
    figures.cpu_process = 0.5 * seconds;
    figures.write_calls = 1600;
    figures.device_writes = 400 + round;
    figures.extents = 3;
    figures.peak_memory = 5 * mib;
    figures.page_cache = 64 * mib;
    figures.cold_read = 1500 + 10 * round;
    trial.start_seconds = 0.0125;
    row.add(trial);
  }
  row.system_calls = 16.25;
  return row;
}

peer_row failed(peer_row row, std::string failure, std::string last_words) {
  row.failure = std::move(failure);
  row.last_words = std::move(last_words);
  return row;
}

peer_row left_out(peer_row row, std::string reason) {
  row.left_out = std::move(reason);
  return row;
}

void spoil(trial_result& trial, trial_validity validity, const std::string& reason) {
  trial.validity = validity;
  trial.reasons = {reason};
}

std::vector<published_row> all_published() {
  std::vector<published_row> rows{
      published("cpp-ofstream-ladder/rung-0", "programs", 0, "std::ofstream", {"10.0 @ 90 %"}),
      published("rust-write", "programs", 1, "WriteFile", {"255 @ 100 %"}),
      published("pascal-write", "programs", 2, "Pascal", {"20.0"}),
      published("rust-write", "programs", 1, "WriteFile", {"40.0"}),
      published("cpp-ofstream-ladder/rung-0", "ladder", 0, "naive", {"10.0"}),
      published("cpp-ofstream-ladder/rung-1", "ladder", 1, "no endl", {"30.0"}),
      published("pascal-write", "ladder", 2, "bigger buffer", {"60.0"}),
      published("cpp-ofstream-ladder", "bytes", 0, "putc", {"50.0", "25.0"}),
      published("rust-write", "bytes", 1, "WriteFile of one byte", {"-", "0.5"}),
      published("pascal-write", "bytes", 2, "Write", {"9.0", "4.0"})};
  rows[3].options = {"reserve"};
  rows[4].calls = 18'000;
  rows[5].calls = 256;
  rows[6].changes = 1;
  return rows;
}

// Every kind of row: fast and slow ones, those with trials that do not count, those that failed or were left out.
peer_catalogue all_peers(const peer_request& wanted) {
  peer_catalogue all;
  all.peers.emplace_back().published = all_published();
  all.rows = {
      measured(row_of("cpp-freshet/writer", peer_kind::freshet, "freshet::writer"), 0.11, wanted),
      measured(row_of("cpp-ofstream-ladder/rung-0", peer_kind::naive, "std::ofstream with endl"), 1, wanted),
      measured(row_of("cpp-ofstream-ladder/rung-1", peer_kind::standard, "std::ofstream without endl"), 0.4, wanted),
      measured(row_of("rust-bufwriter/with-its-own-buffer", peer_kind::standard, "BufWriter<File>, 64 KiB"), 0.1,
               wanted),
      measured(row_of("rust-write", peer_kind::system, "write(2)"), 0.12, wanted),
      measured(row_of("rust-mmap", peer_kind::library, "the crate memmap2"), 0.2, wanted),
      measured(row_of("rust-slow-start", peer_kind::system, "write(2) after a sleep"), 0.3, wanted),
      failed(row_of("rust-broken", peer_kind::naive, "does not compile"), "cannot be built: exit code 1",
             "error[E0425]: cannot find value `x`\n  --> main.rs:3:5\n"),
      failed(row_of("rust-broken-too", peer_kind::naive, "does not compile"), "cannot be built: exit code 1",
             "error[E0425]: cannot find value `x`\n  --> main.rs:3:5\n"),
      failed(measured(row_of("cpp-late", peer_kind::system, "fails in its second round"), 0.15, wanted),
             "wrote wrong bytes: 1 instead of 104857600", ""),
      left_out(row_of("cpp-windows", peer_kind::system, "WriteFile"), "Windows only"),
      left_out(row_of("rust-uring", peer_kind::library, "the crate io-uring"), "needs cargo (Debian package cargo)"),
      left_out(row_of("rust-tokio", peer_kind::library, "the crate tokio"), "needs cargo (Debian package cargo)")};
  for (const std::size_t round : {1U, 2U})
    spoil(all.rows[2].measured.trials[round], trial_validity::invalid, "the content differs");
  spoil(all.rows[3].measured.trials[5], trial_validity::disturbed, "others wrote to vda meanwhile: 12 MiB");
  spoil(all.rows[4].measured.trials[0], trial_validity::unknown, "it cannot be seen whether the device was idle");
  all.rows[4].measured.trials[4].seconds_to_close *= 3;
  for (trial_result& trial : all.rows[5].measured.trials) {
    trial.cold_read.reset();
    trial.device_writes.reset();
    trial.extents.reset();
    trial.peak_memory.reset();
    trial.page_cache.reset();
  }
  all.rows[5].why_not_cold = {"tmpfs holds its files in memory"};
  all.rows[5].system_calls.reset();
  for (trial_result& trial : all.rows[6].measured.trials)
    spoil(trial, trial_validity::invalid, "it read the file before it wrote it");
  all.rows[9].measured.trials.resize(1);
  return all;
}

std::string screen_of(const peer_catalogue& all, const peer_request& wanted, const screen& look) {
  return format_peers(all, wanted, rank_peers(all.rows, wanted), look);
}

TEST_F(peers_screen, has_ranking_tables_published_figures_failures_and_doubts) {
  const peer_request wanted{.size = 100 * mib};
  const peer_catalogue all = all_peers(wanted);
  EXPECT_TRUE(is_golden("lab/peers/screens/peers-80.txt", screen_of(all, wanted, narrow)));
  EXPECT_TRUE(is_golden("lab/peers/screens/peers-132.txt", screen_of(all, wanted, wide)));
}

TEST_F(peers_screen, of_bytes_has_the_published_ways) {
  const peer_request wanted{.workload = workload_kind::bytes, .size = 100 * mib, .write_through = true};
  peer_request plain = wanted;
  plain.write_through = false;
  const peer_catalogue all = all_peers(plain);
  EXPECT_TRUE(is_golden("lab/peers/screens/bytes-80.txt",
                        screen_of(all, plain, narrow) + "\n" + screen_of(all, wanted, narrow)));
  EXPECT_TRUE(is_golden("lab/peers/screens/bytes-132.txt", screen_of(all, plain, wide)));
}

TEST_F(peers_screen, without_a_trial_has_the_failures) {
  peer_catalogue all = all_peers({.size = 100 * mib});
  std::erase_if(all.rows, [](const peer_row& row) { return !row.measured.trials.empty(); });
  EXPECT_TRUE(is_golden("lab/peers/screens/failed-80.txt", screen_of(all, {.size = 100 * mib}, narrow)));
}

TEST_F(peers_list, has_the_peers_and_what_is_missing) {
  const peer_catalogue all = all_peers({.size = 100 * mib});
  EXPECT_TRUE(is_golden("lab/peers/screens/list-80.txt", format_peer_list(all.rows, narrow)));
  EXPECT_TRUE(is_golden("lab/peers/screens/list-132.txt", format_peer_list(all.rows, wide)));
}

TEST_F(published_table, of_another_size_says_how_to_get_the_figures_side_by_side) {
  const peer_request wanted{.size = 200 * mib};
  EXPECT_TRUE(is_golden("lab/peers/screens/other-size-80.txt", format_published(all_peers(wanted), wanted, narrow)));
}

std::vector<peers_with_options> with_and_without_options() {
  std::vector<peers_with_options> all;
  for (const peer_request& wanted :
       {peer_request{.size = 100 * mib}, peer_request{.size = 100 * mib, .reserve = true},
        peer_request{.size = 100 * mib, .reserve = true, .no_cache = true, .sequential = true}})
    all.push_back({wanted, all_peers(wanted)});
  return all;
}

TEST_F(published_table, by_options_has_all_columns) {
  const std::vector<peers_with_options> all = with_and_without_options();
  const std::vector<program_cell> cells = compare_by_options(all);
  EXPECT_TRUE(is_golden("lab/peers/screens/by-options-80.txt", format_by_options(cells, narrow)));
  EXPECT_TRUE(is_golden("lab/peers/screens/by-options-132.txt", format_by_options(cells, wide)));
  EXPECT_TRUE(is_golden("lab/peers/screens/by-options.json", test::golden_json(cells)));
}

// One trial of each row: the others have the same keys.
TEST(peers_json, has_the_verdict_the_peers_and_their_trials) {
  const peer_request wanted{.size = 100 * mib, .buffer = 65536, .no_cache = true};
  const peer_catalogue all = all_peers(wanted);
  nlohmann::json trials = nlohmann::json::array();
  nlohmann::json records = nlohmann::json::array();
  for (const std::size_t at : {0U, 5U}) {
    const peer_row& row = all.rows[at];
    const peer_trial trial{.request = wanted,
                           .figures = row.measured.trials.front(),
                           .start_seconds = row.start_seconds.front(),
                           .method_at_work = "buffered",
                           .why_not_cold = row.why_not_cold.empty() ? "" : *row.why_not_cold.begin()};
    trials.push_back(trial);
    const record kept = make_record(trial);
    records.push_back({{"workload", kept.workload},
                       {"method", kept.method},
                       {"label", kept.label},
                       {"plan", kept.plan},
                       {"extra", kept.extra}});
  }
  EXPECT_TRUE(is_golden(
      "lab/peers/screens/peers.json",
      test::golden_json(
          {{"verdict", rank_peers(all.rows, wanted)}, {"peers", all.rows}, {"trials", trials}, {"records", records}})));
}

}  // namespace
}  // namespace freshet::tool

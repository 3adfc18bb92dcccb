// The first line of `tune`, `bench` and `text`.
#include "tool/report/machine_rate_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace freshet::tool {
namespace {

const machine_rate known{.rate = 2300, .way = "uring", .measured = "2026-06-12T23:59:00Z", .trials = 6};

std::string line_of(const machine_figures& figures) { return format_machine_figures(figures, "2026-11-29T12:00:00Z"); }

TEST(machine_line, says_what_the_disk_takes_and_what_the_program_gets) {
  EXPECT_EQ(line_of({.machine = known}), "The disk takes 2.3 GB/s (12 Jun).\n");
  EXPECT_EQ(line_of({.machine = known, .who = "the program", .share = machine_share{.share = 0.478}}),
            "The disk takes 2.3 GB/s (12 Jun); the program gets 48 % of it.\n");
  EXPECT_EQ(
      line_of({.machine = known, .who = "the program", .share = machine_share{.share = 0.12, .forms_lines = true}}),
      "The disk takes 2.3 GB/s (12 Jun); the program gets 12 %, forming lines the rest.\n");
  EXPECT_EQ(
      line_of({.machine = known, .who = "the program", .share = machine_share{.share = 0.8, .waiting = 730'400'000}}),
      "The disk takes 2.3 GB/s (12 Jun); the program is faster: 730 MB wait in memory.\n");
  EXPECT_EQ(line_of({.machine = known, .who = "a program", .share = machine_share{.share = 1.04}}),
            "The disk takes 2.3 GB/s (12 Jun); a program gets 100 % of it.\n");
}

TEST(machine_line, is_empty_where_nothing_is_known) {
  EXPECT_EQ(line_of({.who = "the program", .share = machine_share{.share = 1}}), "");
}

TEST(machine_line, names_the_year_of_an_old_measurement) {
  machine_figures old{.machine = known};
  old.machine->measured = "2025-01-02T00:00:00Z";
  EXPECT_EQ(line_of(old), "The disk takes 2.3 GB/s (2 Jan 2025).\n");
}

TEST(machine_line, fits_80_columns) {
  for (const char* const who : {"the program", "writebehind 256 KiB x 2, memory left", "./export --all {} && sync"})
    for (const std::uint64_t waiting : {std::uint64_t{0}, std::uint64_t{999'900'000}, std::uint64_t{12'345'000'000}}) {
      std::istringstream lines{
          line_of({.machine = known,
                   .who = who,
                   .share = machine_share{.share = 0.99, .waiting = waiting, .forms_lines = true}})};
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(machine_line, has_its_figures_in_json) {
  EXPECT_EQ(nlohmann::json(machine_figures{}), nullptr);
  EXPECT_EQ(nlohmann::json(machine_figures{.machine = known}),
            nlohmann::json::parse(R"({"mb_per_second": 2300.0, "way": "uring", "measured": "2026-06-12T23:59:00Z",
                                      "trials": 6, "share": null, "waiting_bytes": null, "forms_lines": null})"));
  const nlohmann::json with_share =
      machine_figures{.machine = known, .share = machine_share{.share = 0.5, .waiting = 7, .forms_lines = true}};
  EXPECT_EQ(with_share.at("share"), 0.5);
  EXPECT_EQ(with_share.at("waiting_bytes"), 7);
  EXPECT_EQ(with_share.at("forms_lines"), true);
}

}  // namespace
}  // namespace freshet::tool

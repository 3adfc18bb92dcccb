#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/version.hpp>
#include <freshet/writer.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/stored_runs.hpp"
#include "tool/report/html/page.hpp"
#include "tool/report/html/page_data.hpp"
#include "tool/store/store_set.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto report_footer =
    R"(The page is one file that needs and fetches nothing else: mail it, or put it on a server. It begins with the
answers, a line for each task; every chart has a table. It filters by file system, durability class, workload and run.

Examples:
  freshet report                            all that was measured, as report.html
  freshet report --since 2026-03-01 --out march.html
  freshet report --run 12 13 --out before-and-after.html
  freshet report --directory /data
  freshet report --store laptop.sqlite --store server.sqlite     two machines, each ranked by itself)";

struct report_options {
  std::string out = "report.html";
  stored_options wanted;
  std::vector<std::string> runs;  // empty: all
};

// "runs 3, 4, since 2026-03-01"; empty for all.
std::string describe_selection(const report_options& options) {
  std::vector<std::string> words;
  for (const std::string& each : options.runs) words.push_back("run " + each);
  if (!options.wanted.command.empty()) words.push_back(options.wanted.command);
  if (!options.wanted.since.empty()) words.push_back("since " + options.wanted.since);
  for (const fs::path& each : options.wanted.directories)
    words.push_back("below " + normalize_directory(each).string());
  return fmt::format("{}", fmt::join(words, ", "));
}

// @throws std::runtime_error  if a named run is not among those that the other options select
std::vector<run> choose_runs(const store_set& kept, const report_options& options) {
  std::vector<run> wanted = select_runs(kept, options.wanted);
  if (options.runs.empty()) return wanted;
  std::set<std::int64_t> chosen;
  for (const std::string& each : options.runs) chosen.insert(find_run(wanted, each).id);
  std::erase_if(wanted, [&](const run& each) { return !chosen.contains(each.id); });
  return wanted;
}

page_data read_stores(const report_options& options) {
  const store_set kept{existing_stores(options.wanted)};
  std::vector<run> runs = choose_runs(kept, options);
  selection wanted{.command = options.wanted.command, .since = options.wanted.since};
  for (const run& each : runs) wanted.runs.push_back(each.id);
  page_data data{std::move(runs), kept.sizes()};
  if (wanted.runs.empty()) return data;  // an empty selection would select all
  kept.each(wanted, [&](record&& trial) {
    throw_if_interrupted();
    data.add(std::move(trial));
  });
  return data;
}

void write_page(const std::string& page, const std::string& name) {
  std::error_code missing;
  const fs::file_status at = fs::status(name, missing);
  const bool hidden = !fs::exists(at) || fs::is_regular_file(at);  // others, such as pipes, cannot be replaced
  writer out = name == "-" ? writer::standard_output() : writer{name, {.hidden_until_closed = hidden}};
  out.write(page);
  out.close();
}

int run_report_command(const report_options& options) {
  page_data data = read_stores(options);
  const std::string stores = name_stores(options.wanted);
  const std::string selected = describe_selection(options);
  if (data.trials() == 0)
    throw std::runtime_error{selected.empty()
                                 ? stores + ": there are no trials in this store"
                                 : fmt::format("{}: no stored trial matches: {}", stores, replace_controls(selected))};
  data.draw(ask_laboratory);
  const std::string page = make_page(
      data.json({{"store", stores}, {"selected", selected}, {"version", std::string{version()}}}), data.script());
  write_page(page, options.out);
  if (options.out == "-") return 0;
  fmt::print("{}: {} trial{}, {}\n", printable(options.out), fmt::group_digits(data.trials()),
             data.trials() == 1 ? "" : "s", format_size(page.size()));
  if (built_in_assets().charts.empty())
    fmt::print(stderr, "freshet report: freshet was built without the chart library, so the page has tables only\n");
  return 0;
}

// One word for add_list().
std::vector<std::string> parse_run_names(std::string_view word) { return {parse_run_name(word)}; }

}  // namespace

void add_report_command(program_parser& program) {
  auto [command, options] =
      program.add_command("report", "Make one HTML page of what was measured", run_report_command, report_footer);
  command.add("--out", options.out, "The file to write; - is standard output");
  add_stored_options(command, options.wanted);
  command
      .add_list("--run RUN", options.runs, parse_run_names,
                "Only these runs, by their numbers in freshet history, or last, last~1, …")
      .offer({"last", "last~1"});
}

}  // namespace freshet::tool

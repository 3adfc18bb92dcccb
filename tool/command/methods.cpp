#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include <freshet/methods.hpp>

#include "tool/base/json_output.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

constexpr auto methods_footer =
    R"(Examples:
  freshet methods                           which methods work here, and why the others do not
  freshet methods /data --json -)";

struct methods_options {
  std::filesystem::path directory = ".";
  result_files results;
};

nlohmann::json make_json(const method_info& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"available", method.available()},
          {"why_not", method.why_not},
          {"keeps_order", method.keeps_order},
          {"asynchronous", method.asynchronous},
          {"direct", method.direct},
          {"reads", method.reads}};
}

int show_methods(const methods_options& options) {
  using enum table::side;
  table list{{{"METHOD", left}, {"WORKS", left}, {"READS", left}, {"HOW", left}}};
  nlohmann::json all = nlohmann::json::array();
  for (const method_info& method : methods(options.directory)) {
    const std::string how = method.keeps_order ? method.summary : method.summary + "; only unordered";
    list.add({method.name, method.available() ? "yes" : "no", method.available() && method.reads ? "yes" : "no",
              method.available() ? how : method.why_not});
    all.push_back(make_json(method));
  }
  options.results.print("{}", fitted(list.text(), standard_screen().width));
  write_json(all, options.results.json);
  return 0;
}

}  // namespace

void add_methods_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "methods", "List the ways to write and read, and whether they work in a directory", show_methods, methods_footer);
  command.add("DIR", options.directory, "The directory");
  add_json_option(command, options.results, "the same");
}

}  // namespace freshet::tool

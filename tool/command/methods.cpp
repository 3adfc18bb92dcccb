#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <freshet/methods.hpp>

#include "tool/base/json_output.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

struct methods_options {
  std::string directory = ".";
  std::string json;
};

nlohmann::json in_json(const method_info& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"available", method.available()},
          {"why_not", method.why_not},
          {"keeps_order", method.keeps_order},
          {"asynchronous", method.asynchronous},
          {"direct", method.direct},
          {"reads", method.reads}};
}

void show_methods(const methods_options& options) {
  const std::vector<method_info> all_methods = methods(options.directory);
  if (words_on_stdout(options.json)) {
    table list{{{"METHOD", table::side::left},
                {"WORKS", table::side::left},
                {"READS", table::side::left},
                {"HOW", table::side::left}}};
    for (const method_info& method : all_methods) {
      const std::string how = method.keeps_order ? method.summary : method.summary + "; only unordered";
      list.add({method.name, method.available() ? "yes" : "no", method.reads ? "yes" : "no",
                method.available() ? how : method.why_not});
    }
    fmt::print("{}", list.text());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const method_info& method : all_methods) all.push_back(in_json(method));
  write_json(all, options.json);
}

}  // namespace

void add_methods_command(program_parser& program) {
  const auto options = std::make_shared<methods_options>();
  command_parser command =
      program.add_command("methods", "List the ways to write and read, and whether they work in a directory");
  command.add("DIR", options->directory, "The directory");
  add_json_option(command, options->json, "the same");
  command.set_action([options] {
    show_methods(*options);
    return 0;
  });
}

}  // namespace freshet::tool

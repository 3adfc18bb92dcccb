// An ability of the laboratory that only greets: tests/lab/with_test.py adds it.
#include <nlohmann/json.hpp>

#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"

namespace freshet::tool {
namespace {

struct hello_options {
  std::string name = "world";
  result_files results;
};

int say_hello(const hello_options& options) {
  options.results.publish("Hello, " + options.name + "!\n", {{"greeted", options.name}});
  return 0;
}

}  // namespace

void add_hello_command(program_parser& program) {
  auto [command, options] = add_laboratory_command(program, "hello", say_hello, "Example:\n  freshet hello --name you");
  command.add("--name NAME", options.name, "Whom to greet");
  add_json_option(command, options.results, "the greeting");
}

}  // namespace freshet::tool

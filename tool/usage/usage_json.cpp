#include "tool/usage/usage_json.hpp"

#include "tool/base/json_output.hpp"

namespace freshet::tool {
namespace {

nlohmann::json option_as_json(const option_description& option) {
  return {{"names", option.names},       {"argument", text_or_null(option.argument)},
          {"help", option.help},         {"group", text_or_null(option.group)},
          {"words", option.words},       {"list", option.is_list},
          {"required", option.required}, {"repeats", option.repeats},
          {"needs", option.needs},       {"excludes", option.excludes}};
}

nlohmann::json exit_as_json(const exit_meaning& exit) { return {{"code", exit.code}, {"meaning", exit.meaning}}; }

nlohmann::json variable_as_json(const variable_description& variable) {
  return {{"name", variable.name}, {"meaning", variable.meaning}};
}

nlohmann::json command_as_json(const command_description& command) {
  return {{"name", command.name},
          {"summary", command.summary},
          {"group", text_or_null(command.group)},
          {"notes", command.notes},
          {"options", make_json_array(command.options, option_as_json)},
          {"exits", make_json_array(command.exits, exit_as_json)}};
}

}  // namespace

nlohmann::json describe_as_json(const program_description& program) {
  return {{"name", program.name},
          {"summary", program.summary},
          {"freshet", program.version},
          {"options", make_json_array(program.options, option_as_json)},
          {"exits", make_json_array(program.exits, exit_as_json)},
          {"variables", make_json_array(program.variables, variable_as_json)},
          {"commands", make_json_array(program.commands, command_as_json)}};
}

}  // namespace freshet::tool

#include "lab/campaign/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <system_error>

#include "lab/base/strict_table.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::int64_t known_format = 1;
constexpr std::array<std::string_view, 2> order_names{"random", "listed"};
constexpr std::array<std::string_view, 2> failure_names{"continue", "stop"};
constexpr std::uint64_t most_repetitions = 1000;
constexpr double usual_time_limit = 24 * 3600;

// Commands of freshet that measure, and keep what they measured.
constexpr std::array<std::string_view, 9> measuring_commands{"tune",    "bench", "text",      "bytes",      "peers",
                                                             "encrypt", "sweep", "writetest", "filesystems"};

bool is_axis_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
}

std::string read_value(std::string_view axis, const toml::node& node) {
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  const auto text = node.value_exact<std::string>();
  if (!text || text->empty()) reject(node, fmt::format("values of '{}' must be texts or whole numbers", axis));
  if (std::ranges::any_of(*text, is_control)) reject(node, fmt::format("'{}' has a control character", axis));
  return *text;
}

std::vector<matrix_axis> read_matrix(const toml::node* node) {
  std::vector<matrix_axis> axes;
  if (node == nullptr) return axes;
  if (node->as_table() == nullptr) reject(*node, "'matrix' must be a table, [matrix]");
  for (const auto& [key, values] : *node->as_table()) {
    matrix_axis axis{.name = std::string{key.str()}, .values = {}};
    if (!is_axis_name(axis.name)) reject(values, "names in 'matrix' have letters, digits, '_' and '-' only");
    const toml::array* list = values.as_array();
    if (list == nullptr || list->empty()) reject(values, fmt::format("'{}' must be a list of values", axis.name));
    for (const toml::node& each : *list) {
      axis.values.push_back(read_value(axis.name, each));
      if (std::ranges::count(axis.values, axis.values.back()) > 1)
        reject(each, fmt::format("'{}' has the value {} twice", axis.name, axis.values.back()));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

plan_step read_step(strict_table& table, std::size_t number) {
  plan_step step;
  if (table.has("freshet") == table.has("command"))
    reject(table.node(), "a step has either 'freshet', a list of words, or 'command', a text for the shell");
  step.for_shell = table.has("command");
  step.words = step.for_shell ? std::vector{table.text("command")} : table.texts("freshet");
  if (step.words.empty() || step.words.front() == "freshet")
    reject(table.node("freshet"), "'freshet' begins with a command, such as \"bench\"");
  if (!step.for_shell && !keeps_trials(step.words.front()))
    reject(table.node("freshet"), fmt::format("\"{}\" does not measure, expected one of {}; 'command' starts anything",
                                              step.words.front(), fmt::join(measuring_commands, ", ")));
  for (const std::string& word : step.words)
    if (!step.for_shell && (word == "--no-store" || word.starts_with("--store")))
      reject(table.node("freshet"), "all steps keep their trials in the campaign's store; leave out " + word);
  step.name = table.has("name") ? table.text("name") : fmt::format("step {}", number);
  table.reject_unknown_keys();
  return step;
}

// "5m": seconds. @throws toml_fault
double read_duration(strict_table& table, std::string_view key, double usual) {
  if (!table.has(key)) return usual;
  const std::string text = table.text(key);
  constexpr std::array<std::pair<char, double>, 3> units{{{'s', 1}, {'m', 60}, {'h', 3600}}};
  const auto unit = std::ranges::find(units, text.back(), &std::pair<char, double>::first);
  const std::string digits = unit == units.end() ? text : text.substr(0, text.size() - 1);
  constexpr std::size_t most_digits = 6;
  if (digits.empty() || digits.size() > most_digits || digits.find_first_not_of("0123456789") != std::string::npos ||
      std::stoul(digits) == 0)
    reject(table.node(key), fmt::format(R"('{}' must be a time such as "90s", "5m" or "2h")", key));
  return static_cast<double>(std::stoul(digits)) * (unit == units.end() ? 1 : unit->second);
}

// A name in the plan that is a path. Relative ones belong to the directory of the plan.
std::filesystem::path read_path(strict_table& table, std::string_view key) { return table.optional_text(key); }

campaign_plan read_plan(const toml::table& root, const std::filesystem::path& name) {
  strict_table table{root};
  if (!table.has("format"))
    reject(root, fmt::format("'format' is missing; this freshet reads format = {}", known_format));
  if (table.optional_number("format") != known_format)
    reject(table.node("format"), fmt::format("'format' must be {}", known_format));
  campaign_plan plan;
  plan.name = table.has("name") ? table.text("name") : name.stem().string();
  if (table.has("between")) plan.between = table.value_of<between_steps>("between");
  if (table.has("repetitions")) {
    const std::uint64_t count = table.optional_number("repetitions");
    if (count < 1 || count > most_repetitions)
      reject(table.node("repetitions"), fmt::format("'repetitions' must be from 1 to {}", most_repetitions));
    plan.repetitions = static_cast<unsigned>(count);
  }
  if (table.has("order")) plan.random_order = table.one_of("order", order_names) == 0;
  if (table.has("seed")) plan.seed = table.optional_number("seed");
  plan.directory = read_path(table, "directory");
  plan.mount = read_path(table, "mount");
  if (plan.mount.empty() == (plan.between == between_steps::remount))
    reject(root, "'mount' names the file system for between = \"remount\", and belongs to it only");
  if (table.has("inputs"))
    for (std::string& each : table.texts("inputs")) plan.inputs.emplace_back(std::move(each));
  plan.time_limit = read_duration(table, "time_limit", usual_time_limit);
  if (table.has("on_failure")) plan.stops_at_failure = table.one_of("on_failure", failure_names) == 1;
  plan.matrix = read_matrix(table.optional_node("matrix"));
  for (strict_table& each : table.tables("step")) plan.steps.push_back(read_step(each, plan.steps.size() + 1));
  table.reject_unknown_keys();
  if (plan.steps.empty()) reject(root, "'step' is missing: a plan has at least one [[step]]");
  return plan;
}

// The first "{name}" in a word that is no axis of the matrix; empty if there is none. A shell has braces of its own.
std::string unknown_placeholder(const campaign_plan& plan, const plan_step& step) {
  if (step.for_shell) return {};
  for (const std::string_view word : step.words)
    for (std::size_t begin = word.find('{'); begin != std::string_view::npos; begin = word.find('{', begin + 1)) {
      const std::string_view name = word.substr(begin + 1, word.find('}', begin) - begin - 1);
      const bool is_placeholder = word.find('}', begin) != std::string_view::npos && is_axis_name(name);
      if (is_placeholder && std::ranges::find(plan.matrix, name, &matrix_axis::name) == plan.matrix.end())
        return fmt::format("{{{}}}", name);
    }
  return {};
}

bool names(const plan_step& step, const matrix_axis& axis) {
  const std::string placeholder = '{' + axis.name + '}';
  return std::ranges::any_of(step.words,
                             [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

std::size_t count_cells(const campaign_plan& plan, const plan_step& step) {
  std::size_t cells = 1;
  for (const matrix_axis& axis : plan.matrix)
    if (names(step, axis)) cells = std::min(cells * axis.values.size(), most_steps + 1);
  return cells;
}

void require_sense(const campaign_plan& plan, const toml::table& root) {
  for (const matrix_axis& axis : plan.matrix)
    if (std::ranges::none_of(plan.steps, [&](const plan_step& step) { return names(step, axis); }))
      reject(root, fmt::format("no step uses {{{}}} of the matrix", axis.name));
  for (const plan_step& step : plan.steps)
    if (const std::string unknown = unknown_placeholder(plan, step); !unknown.empty())
      reject(root, fmt::format("'{}' uses {}, which 'matrix' does not have", step.name, unknown));
  std::size_t all = 0;
  for (const plan_step& step : plan.steps) all += count_cells(plan, step) * plan.repetitions;
  if (all > most_steps) reject(root, fmt::format("the plan comes to more than {} steps", most_steps));
}

// The text with the cell's values. What goes to the shell is quoted for it.
std::string with_values(std::string_view text, const matrix_cell& cell, bool for_shell) {
  // In one pass, so that a value that looks like another placeholder stays as it is.
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const auto fits = [&](const auto& each) { return text.substr(at).starts_with('{' + each.first + '}'); };
    const auto axis = std::ranges::find_if(cell, fits);
    if (axis == cell.end()) {
      filled += text[at++];
      continue;
    }
    filled += for_shell ? quote_for_shell(axis->second) : axis->second;
    at += axis->first.size() + 2;
  }
  return filled;
}

// The cell of that number, of which the last axis changes fastest.
matrix_cell cell_of(const campaign_plan& plan, const plan_step& step, std::size_t number) {
  matrix_cell cell;
  for (std::size_t at = plan.matrix.size(); at-- > 0;) {
    const matrix_axis& axis = plan.matrix[at];
    if (!names(step, axis)) continue;
    cell.emplace_back(axis.name, axis.values[number % axis.values.size()]);
    number /= axis.values.size();
  }
  std::ranges::reverse(cell);
  return cell;
}

void add_cells(const campaign_plan& plan, const plan_step& step, unsigned repetition, std::vector<planned_step>& to) {
  for (std::size_t number = 0; number < count_cells(plan, step); ++number) {
    planned_step next{.name = step.name,
                      .cell = cell_of(plan, step, number),
                      .repetition = repetition,
                      .words = step.words,
                      .for_shell = step.for_shell};
    for (std::string& word : next.words) word = with_values(word, next.cell, step.for_shell);
    to.push_back(std::move(next));
  }
}

}  // namespace

bool keeps_trials(std::string_view command) {
  return std::ranges::find(measuring_commands, command) != measuring_commands.end();
}

campaign_plan parse_plan(std::string_view text, const std::filesystem::path& name) {
  if (text.size() > largest_plan)
    refuse(std::errc::invalid_argument, "read", name, fmt::format("a plan has at most {}", format_size(largest_plan)));
  return read_strictly(text, name, [&](const toml::table& root) {
    campaign_plan plan = read_plan(root, name);
    require_sense(plan, root);
    return plan;
  });
}

std::vector<planned_step> list_steps(const campaign_plan& plan, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<planned_step> all;
  for (unsigned repetition = 1; repetition <= plan.repetitions; ++repetition) {
    const std::size_t begin = all.size();
    for (const plan_step& step : plan.steps) add_cells(plan, step, repetition, all);
    if (!plan.random_order) continue;
    // std::shuffle differs between libraries, and the same seed must mean the same order for good.
    for (std::size_t left = all.size() - begin; left > 1; --left)
      std::swap(all[begin + left - 1], all[begin + random() % left]);
  }
  return all;
}

}  // namespace freshet::tool

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"
#include "tool/trial/trial_figures.hpp"

namespace freshet::tool {
namespace {

// RFC 4180, 2.5 to 2.7.
std::string quoted(std::string text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  return '"' + replaced(std::move(text), "\"", "\"\"") + '"';
}

std::string format_json(const nlohmann::json& value) { return value.empty() ? "" : to_text(value); }

/// The line of names or one of values: both are made by the same calls, and so fit each other.
class line {
 public:
  enum class kind : std::uint8_t { head, values };
  line(std::string& out, kind line_kind) : out_{out}, kind_{line_kind} {}

  void add(std::string_view name, std::string text) {
    out_ += std::exchange(separator_, ",");
    out_ += kind_ == kind::head ? quoted(std::string{name}) : quoted(std::move(text));
  }

  template <typename Value>
  void add_figure(std::string_view name, const Value& value) {
    if constexpr (std::is_enum_v<Value>)
      add(name, std::string{to_string(value)});
    else if constexpr (std::same_as<Value, bool>)
      add(name, value ? "true" : "false");
    else if constexpr (std::floating_point<Value>)
      add(name, std::isfinite(value) ? fmt::format("{}", value) : "");
    else if constexpr (std::integral<Value>)
      add(name, std::to_string(value));
    else
      add_value(name, value);
  }

 private:
  void add_value(std::string_view name, const std::string& text) { add(name, text); }
  void add_value(std::string_view name, const std::vector<std::string>& texts) {
    add(name, fmt::format("{}", fmt::join(texts, "; ")));
  }
  void add_value(std::string_view name, const std::map<std::string, std::uint64_t>& values) {
    add(name, format_json(values));
  }
  void add_value(std::string_view name, const latency_histogram& calls) {
    const std::uint64_t number = calls.calls();
    add(fmt::format("{}_calls", name), std::to_string(number));
    for (const auto& [share, words] :
         {std::pair{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {1, "max"}})
      add(fmt::format("{}_{}_ns", name, words), number == 0 ? "" : std::to_string(calls.quantile(share)));
  }
  void add_value(std::string_view name, const rate_curve& curve) {
    add(fmt::format("{}_step_seconds", name), fmt::format("{}", curve.step()));
    add(fmt::format("{}_bytes", name), fmt::format("{}", fmt::join(curve.bytes(), " ")));
  }
  template <typename Value>
  void add_value(std::string_view name, const std::optional<Value>& value) {
    if (value)
      add_figure(name, *value);
    else
      add(name, "");
  }

  std::string& out_;
  kind kind_;
  std::string_view separator_;
};

/// An id of the store as text; empty if it was not stored.
std::string format_id(std::int64_t id) { return id == 0 ? "" : std::to_string(id); }

void add_plan(line& to, const run& run, const record& trial) {
  const trial_plan& plan = trial.figures.plan;
  to.add("run", format_id(trial.run));
  to.add("trial", format_id(trial.id));
  to.add("command", run.command);
  to.add("workload", trial.workload);
  to.add("class", std::string{to_string(plan.measured_class)});
  to.add("method", trial.method);
  to.add("label", trial.label);
  to.add("block_bytes", std::to_string(plan.block));
  to.add("depth", std::to_string(plan.depth));
  to.add("jobs", std::to_string(plan.jobs));
  to.add("size_bytes", std::to_string(plan.size));
  to.add("plan_json", format_json(trial.plan));
}

void add_line(std::string& out, line::kind kind, const run& run, const record& trial) {
  line one{out, kind};
  add_plan(one, run, trial);
  const auto take = [&one](const figure_name& name, const auto& value) { one.add_figure(name.column, value); };
  each_figure(trial.figures, take);
  take("mb_per_second_to_close", trial.figures.rate_to_close());
  take("mb_per_second_to_disk", trial.figures.rate_to_disk());
  take("cpu_whole_seconds_per_gb", trial.figures.bytes > 0 ? trial.figures.cpu_per_gb() : 0);
  one.add("more_json", format_json(trial.extra));
  each_setting(run.env, take);
  each_measured_setting(run.env, take);
  out += "\r\n";
}

}  // namespace

std::string export_csv(const run& run, std::span<const record> records) {
  std::string out;
  add_line(out, line::kind::head, {}, {});
  for (const record& each : records) add_line(out, line::kind::values, run, each);
  return out;
}

}  // namespace freshet::tool

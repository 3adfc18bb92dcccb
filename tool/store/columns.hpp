// Converts values to columns of a row of the store, and columns back to values.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include "tool/base/json_output.hpp"
#include "tool/store/record.hpp"
#include "tool/trial/trial_figures.hpp"

namespace freshet::tool {

template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;

/// The SQL type of a column that holds a `Value`. Numbers keep all their bits: an unsigned number too large for SQLite
/// becomes the signed number of the same bits, and NaN becomes NULL.
template <typename Value>
[[nodiscard]] constexpr std::string_view column_type() {
  if constexpr (is_optional<Value>)
    return std::is_floating_point_v<typename Value::value_type> ? "REAL" : "INTEGER";
  else if constexpr (std::is_floating_point_v<Value>)
    return "REAL";
  else
    return std::is_integral_v<Value> ? "INTEGER NOT NULL" : "TEXT NOT NULL";
}

/// Binds a statement's parameters from the first to the last: call it with (name, value).
class parameters {
 public:
  explicit parameters(SQLite::Statement& into) : into_{into} {}

  template <typename Value>
  void operator()(std::string_view /*name*/, const Value& value) const {
    bind(++last_, value);
  }

 private:
  template <typename Value>
  void bind(int at, const Value& value) const {
    if constexpr (is_optional<Value>)
      value ? bind(at, *value) : into_.bind(at);
    else if constexpr (std::is_integral_v<Value>)
      into_.bind(at, static_cast<std::int64_t>(value));
    else if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::string>)
      into_.bind(at, value);
    else if constexpr (std::is_enum_v<Value>)
      into_.bind(at, std::string{to_string(value)});
    else
      into_.bind(at, to_text(value));
  }

  SQLite::Statement& into_;
  mutable int last_ = 0;
};

/// Reads a list of whole numbers, which may be nested ("[1,2,[3,4]]"), many times faster than a JSON parser, and
/// appends them to `numbers`. Returns false if `text` is not such a list.
[[nodiscard]] inline bool read_numbers(std::string_view text, std::vector<std::uint64_t>& numbers) {
  for (const char* at = text.data(); at != text.data() + text.size();) {
    if (*at == '[' || *at == ']' || *at == ',') {
      ++at;
      continue;
    }
    const auto [end, fault] = std::from_chars(at, text.data() + text.size(), numbers.emplace_back());
    if (fault != std::errc{}) return false;
    at = end;
  }
  return true;
}

/// Reads a row's columns from the first to the last: call it with (name, value). @throws std::exception  if a column's
/// text is no such value
class row_reader {
 public:
  explicit row_reader(SQLite::Statement& row) : row_{row} {}

  template <typename Value>
  void operator()(std::string_view /*name*/, Value& value) const {
    read(row_.getColumn(next_++), value);
  }

 private:
  template <typename Value>
  static void read(const SQLite::Column& from, Value& value) {
    if constexpr (is_optional<Value>) {
      value.reset();
      if (!from.isNull()) read(from, value.emplace());
    } else if constexpr (std::is_integral_v<Value>) {
      value = static_cast<Value>(from.getInt64());
    } else if constexpr (std::is_floating_point_v<Value>) {
      value = from.isNull() ? std::numeric_limits<Value>::quiet_NaN() : from.getDouble();
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = from.getString();
    } else {
      read_text({from.getText(), static_cast<std::size_t>(from.getBytes())}, value);
    }
  }

  // These two are by far the longest texts of a trial; see read_numbers().
  static void read_text(std::string_view text, latency_histogram& calls) {
    std::vector<std::uint64_t> numbers;
    if (!read_numbers(text, numbers) || numbers.size() % 2 != 0) return read_json(text, calls);
    for (std::size_t at = 0; at < numbers.size(); at += 2)
      calls.add_bucket(latency_histogram::bucket_of(numbers[at]), numbers[at + 1]);
  }
  static void read_text(std::string_view text, rate_curve& curve) {
    constexpr std::string_view prefix = R"({"bytes":)";
    constexpr std::string_view step_key = R"(,"step":)";
    const std::size_t separator = text.find(step_key);
    std::vector<std::uint64_t> bytes;
    double step = 0;
    if (!text.starts_with(prefix) || separator == std::string_view::npos ||
        !read_numbers(text.substr(prefix.size(), separator - prefix.size()), bytes) ||
        std::from_chars(text.data() + separator + step_key.size(), text.data() + text.size(), step).ec != std::errc{})
      return read_json(text, curve);
    curve = rate_curve::of(step, std::move(bytes));
  }
  template <typename Value>
  static void read_text(std::string_view text, Value& value) {
    if constexpr (std::is_enum_v<Value>)
      value = read_name<Value>(text);
    else
      read_json(text, value);
  }

  template <typename Value>
  static Value read_name(std::string_view text) {
    if (const auto named = from_name<Value>(text)) return *named;
    throw std::invalid_argument{"unknown: " + std::string{text}};
  }
  template <typename Value>
  static void read_json(std::string_view text, Value& value) {
    if constexpr (std::is_same_v<Value, nlohmann::json>) {
      value = nlohmann::json::parse(text);
    } else {
      const auto check_number = [](int, nlohmann::json::parse_event_t, nlohmann::json& each) {
        if (each.is_number_float()) require_convertible(each.get<double>());
        return true;
      };
      value = nlohmann::json::parse(text, check_number).template get<Value>();
    }
  }
  // Converting a number outside of this range to an integer is undefined behaviour.
  static void require_convertible(double number) {
    if (!(number >= 0 && number < 0x1p64)) throw std::out_of_range{"a number is out of range"};
  }

  SQLite::Statement& row_;
  mutable int next_ = 0;
};

/// A function of (name, value) that appends the name, with a prefix, to a list "a, b, c".
[[nodiscard]] inline auto name_columns(std::string& list, std::string_view prefix = {}) {
  return [&list, prefix](std::string_view name, const auto& /*value*/) {
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", prefix, name);
  };
}
[[nodiscard]] inline std::string list_environment_columns() {
  std::string list;
  const environment env;
  each_setting(env, name_columns(list));
  return list;
}

/// Calls take(name, value) for each column of a row of `runs`, except its id and its environment's.
template <maybe_const<run> Run, typename Take>
void each_run_column(Run& run, const Take& take) {
  take("command", run.command);
  take("words", run.words);
  take("started", run.started);
  take("ended", run.ended);
  take("attempt", run.attempt);
  each_measured_setting(run.env, take);
}

/// Calls take(name, value) for each column of a row of `trials` except its id, and take_option(name, value) for each
/// option of its plan.
template <maybe_const<record> Record, typename Take, typename TakeOption>
void each_trial_column(Record& record, const Take& take, const TakeOption& take_option) {
  take("run", record.run);
  take("workload", record.workload);
  take("compared", record.method);
  take("label", record.label);
  take("plan", record.plan);
  take("more", record.extra);
  each_option(record.figures.plan, take_option);
  each_figure(record.figures, take);
}

}  // namespace freshet::tool

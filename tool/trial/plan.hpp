// What a trial is to do: a plan, and the one table of its options. Whatever goes through all options of a plan, or
// through those that a grid varies, goes through this table.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <freshet/options.hpp>

#include "tool/base/choices.hpp"
#include "tool/base/enum_names.hpp"
#include "tool/base/option_names.hpp"
#include "tool/base/text.hpp"
#include "tool/workload/workloads.hpp"

namespace freshet::tool {

/// The durability classes of writing, and the cache classes of reading. Trials of different classes are never compared.
enum class io_class : std::uint8_t {
  none,        ///< written: the kernel has it; ranked by time to close
  at_close,    ///< written: the device has it when close() returns; ranked by time to disk
  each_write,  ///< written: the device has each block before the next is accepted; ranked by time to disk
  cold,        ///< read from the device: nothing of the file was in memory; ranked by time to close
  warm,        ///< read from the page cache, which held the whole file; ranked by time to close
};

/// The suffix of the names of aged volumes, which were filled and partly emptied before the trials.
inline constexpr std::string_view aged_suffix = ", aged";

[[nodiscard]] inline bool is_aged(std::string_view volume) noexcept { return volume.ends_with(aged_suffix); }

inline constexpr std::array writing_classes{io_class::none, io_class::at_close, io_class::each_write};
inline constexpr auto all_classes =
    std::to_array({io_class::none, io_class::at_close, io_class::each_write, io_class::cold, io_class::warm});

[[nodiscard]] constexpr bool reads(io_class measured_class) noexcept {
  return measured_class == io_class::cold || measured_class == io_class::warm;
}

/// Whether the time to disk counts, not the time to close.
[[nodiscard]] constexpr bool ranks_by_disk(io_class measured_class) noexcept {
  return measured_class == io_class::at_close || measured_class == io_class::each_write;
}

/// Precondition: not reads(measured_class).
[[nodiscard]] constexpr freshet::durability durability_of(io_class measured_class) noexcept {
  if (measured_class == io_class::at_close) return durability::at_close;
  return measured_class == io_class::each_write ? durability::each_write : durability::none;
}

template <>
inline constexpr auto enum_names<io_class> = std::to_array<std::string_view>({"none", "at_close", "each_write", "cold",
                                                                              "warm"});

/// What a file is written to.
enum class target_kind : std::uint8_t { fresh, overwrite };
template <>
inline constexpr auto enum_names<target_kind> = std::to_array<std::string_view>({"new", "overwrite"});

/// The state of the memory that a trial's pages of the page cache come from. In a virtual machine, the first touch of
/// memory that the host does not back is many times slower.
enum class memory_state : std::uint8_t {
  unbacked,  ///< free for some time, so that the host has taken it back, as a program finds it on an idle machine
  recycled,  ///< held another file until directly before
  left,      ///< as the trial before left it
};
template <>
inline constexpr auto enum_names<memory_state> = std::to_array<std::string_view>({"rested", "reused", "left"});

/// What is known of the ways to write or read when a trial's file is opened.
enum class prior_state : std::uint8_t {
  none,     ///< nothing: it is the first file of its process
  process,  ///< what another file of the same kind has shown, which the process wrote or read before, untimed
  profile,  ///< what a profile says, to a first file whose program names no method
};
template <>
inline constexpr auto enum_names<prior_state> = std::to_array<std::string_view>({"none", "process", "profile"});

/// What a trial does. Trials of equal plans are repetitions of one another. Members that say how a file is written mean
/// nothing in plans that read.
struct trial_plan {
  std::string method = "auto";  ///< a method of the library, or a baseline ("stdio", "ofstream-tuned", …)
  std::size_t block = 0;        ///< bytes; 0: the default
  unsigned depth = 0;
  bool reserve = false;  ///< reserves space for the whole size first
  bool ordered = true;
  bool size_ahead = false;
  io_class measured_class = io_class::none;
  workload_kind workload = workload_kind::text;
  target_kind target = target_kind::fresh;
  memory_state memory = memory_state::unbacked;  ///< warm reading takes place in what there is
  std::uint64_t size = 0;                        ///< bytes per file
  unsigned jobs = 1;                             ///< files written or read at once, a thread each
  std::uint64_t seed = 1;                        ///< of the random blocks
  /// The file system that was made for it, and how it was mounted: "xfs -d agcount=4, noatime". Empty: it took place in
  /// the file system that the run's environment describes.
  std::string volume = {};
  freshet::access access = freshet::access::sequential;
  freshet::caching caching = freshet::caching::automatic;  ///< all others need the method "auto"
  /// `profile` needs a method that changes: it stands for programs that name none, and is what they get of the profile.
  prior_state prior = prior_state::none;
  friend bool operator==(const trial_plan&, const trial_plan&) = default;
};

/// A power of two from 4 KiB to 64 MiB. @throws std::invalid_argument
[[nodiscard]] std::size_t parse_block(std::string_view text);
/// 1 … 64. @throws std::invalid_argument
[[nodiscard]] unsigned parse_depth(std::string_view text);
/// The names of all methods and baselines, and "auto".
[[nodiscard]] std::vector<std::string> method_names();
/// One of them. @throws std::invalid_argument  naming all of them
[[nodiscard]] std::string parse_method(std::string_view text);
/// "on", which is the value `on`, and "off".
[[nodiscard]] choices<bool> switches(bool on);

/// The type of the values of an option, which is a member of trial_plan.
template <auto option>
using option_value = std::remove_cvref_t<decltype(std::declval<trial_plan&>().*option)>;

/// An option of plans. All plans of a grid have it in common unless it has `words`: then it is an axis, in which they
/// may differ. Its values are those that it is chosen `among`, or else what `parse` makes of a text.
template <auto option>
struct plan_option {
  using value = option_value<option>;
  static constexpr auto member = option;
  std::string_view key;  ///< in JSON, and behind "plan_" the name of its column in the store
  /// The version of the store that first had the column, and how older stores get it. A plan's JSON has options of
  /// later versions than 1 only where they are not usual: plans of equal JSON are repetitions of one another, old ones,
  /// too.
  std::size_t since = 1;
  const char* column = "";
  const char* words = "";  ///< the option of `bench`, with what the help calls its values
  const char* help = "";
  choices<value> (*among)() = nullptr;
  value (*parse)(std::string_view text) = nullptr;     ///< @throws std::invalid_argument
  std::string (*text)(const value& parsed) = nullptr;  ///< for people
  std::vector<std::string> (*offered)() = nullptr;     ///< by completion
  /// What the name of a plan says of an unusual value, {}. An axis without one is the name itself, and plans are not
  /// compared across it.
  std::string_view label = {};
  value writer_options::*written = nullptr;  ///< the library's option, if it is one
  value reader_options::*read = nullptr;

  /// "block": what plans that differ in this axis alone are compared across.
  [[nodiscard]] constexpr std::string_view name() const {
    const std::string_view all{words};
    return all.substr(2, all.find(' ') - 2);
  }
};

/// All members of trial_plan, in the order of their columns. To add one that is an axis: the member, its row, the next
/// version of the store, and the guide.
inline constexpr std::tuple plan_options{
    plan_option<&trial_plan::method>{.key = "method",
                                     .words = "--method METHOD,...",
                                     .help = "Methods and baselines, a,b,… (all that work and keep order)",
                                     .parse = parse_method,
                                     .text = [](const std::string& name) { return name; },
                                     .offered = method_names},
    plan_option<&trial_plan::block>{.key = "block",
                                    .words = "--block SIZE,...",
                                    .help = "Bytes handed over at a time, 64K,1M,… (each method's own)",
                                    .parse = parse_block,
                                    .text = [](const std::size_t& bytes) { return format_size(bytes); },
                                    .label = " {}",
                                    .written = &writer_options::block,
                                    .read = &reader_options::block},
    plan_option<&trial_plan::depth>{.key = "depth",
                                    .words = "--depth DEPTH,...",
                                    .help = "Blocks in memory, 1,2,… (each method's own)",
                                    .parse = parse_depth,
                                    .text = [](const unsigned& blocks) { return std::to_string(blocks); },
                                    .label = " x {}",
                                    .written = &writer_options::depth,
                                    .read = &reader_options::depth},
    plan_option<&trial_plan::reserve>{.key = "reserve",
                                      .words = "--reserve",
                                      .help = "Allocate the disk space first; =on,off: with and without",
                                      .among = [] { return switches(true); },
                                      .label = ", reserved"},
    plan_option<&trial_plan::ordered>{.key = "ordered",
                                      .words = "--unordered",
                                      .help = "Let blocks reach the file in any order; =on,off: both",
                                      .among = [] { return switches(false); },
                                      .label = ", unordered",
                                      .written = &writer_options::ordered},
    plan_option<&trial_plan::size_ahead>{"size_ahead"},
    plan_option<&trial_plan::measured_class>{"class"},
    plan_option<&trial_plan::workload>{"workload"},
    plan_option<&trial_plan::target>{"target"},
    plan_option<&trial_plan::memory>{"memory"},
    plan_option<&trial_plan::size>{"size"},
    plan_option<&trial_plan::jobs>{"jobs"},
    plan_option<&trial_plan::seed>{"seed"},
    plan_option<&trial_plan::volume>{"volume", 5, "TEXT NOT NULL DEFAULT ''"},
    plan_option<&trial_plan::access>{.key = "access",
                                     .since = 8,
                                     .column = "TEXT NOT NULL DEFAULT 'sequential'",
                                     .words = "--access",
                                     .help = "The order of use that files are opened for: sequential, random or once",
                                     .among = [] { return make_choices<access>("an order of access"); },
                                     .label = ", access {}",
                                     .written = &writer_options::access,
                                     .read = &reader_options::access},
    plan_option<&trial_plan::caching>{.key = "caching",
                                      .since = 8,
                                      .column = "TEXT NOT NULL DEFAULT 'automatic'",
                                      .words = "--caching",
                                      .help = "What the page cache holds of the files: automatic, keep, drop or "
                                              "bypass; all but automatic need --method auto",
                                      .among = [] { return make_choices<caching>("a way of caching"); },
                                      .label = ", caching {}",
                                      .written = &writer_options::caching,
                                      .read = &reader_options::caching},
    plan_option<&trial_plan::prior>{.key = "prior",
                                    .since = 11,
                                    .column = "TEXT NOT NULL DEFAULT 'none'",
                                    .words = "--prior",
                                    .help = "What is known when a file is opened: none, by another file of the process "
                                            "or by the profile, which needs --method adaptive",
                                    .among = [] { return make_choices<prior_state>("a prior"); },
                                    .label = ", prior {}"},
};

/// A `Value`, or a const one.
template <typename Type, typename Value>
concept maybe_const = std::same_as<std::remove_const_t<Type>, Value>;

/// Calls take(option) for each row of the table.
template <typename Take>
void each_plan_option(const Take& take) {
  std::apply([&](const auto&... option) { (take(option), ...); }, plan_options);
}

/// Calls take(axis) for those in which the plans of a grid may differ, in the order in which they vary.
template <typename Take>
void each_axis(const Take& take) {
  each_plan_option([&]<auto member>(const plan_option<member>& option) {
    if constexpr (*std::get<plan_option<member>>(plan_options).words != '\0') take(option);
  });
}

/// Calls take(key, value) for each member of a plan.
template <maybe_const<trial_plan> Plan, typename Take>
void each_option(Plan& plan, const Take& take) {
  each_plan_option([&](const auto& option) { take(option.key, plan.*option.member); });
}

/// The options that plans are compared across which have everything else in common: "reserve", "block", …
[[nodiscard]] std::vector<std::string> compared_options();
/// The plan's value of such an option for people: "on", "drop", "64 KiB".
[[nodiscard]] std::string value_of(const trial_plan& plan, std::string_view option);
/// The plan with the value that all plans can have in common: that of a new plan.
[[nodiscard]] trial_plan without(trial_plan plan, std::string_view option);

/// A plan's short name for people: "uring 4 MiB x 2", "ofstream-tuned". Without the state of memory, which is the same
/// for all plans that are compared.
[[nodiscard]] std::string describe(const trial_plan& plan);
/// The same with that state, for lists of trials of all kinds: "uring 4 MiB x 2, memory left".
[[nodiscard]] std::string describe_with_memory(const trial_plan& plan);

}  // namespace freshet::tool

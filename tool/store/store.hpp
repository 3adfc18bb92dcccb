// The file that keeps every trial of all commands: one SQLite database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// The default store: $XDG_STATE_HOME/freshet/trials.sqlite, or ~/.local/state/freshet/trials.sqlite if that variable
/// is unset. Empty if neither directory is known. Source: XDG Base Directory Specification 0.8.
[[nodiscard]] std::filesystem::path default_store();

/// Which trials to read from a store; an empty member does not restrict them.
struct selection {
  std::vector<std::int64_t> runs = {};  ///< the ids of runs
  std::string command = {};
  std::string since = {};   ///< started at this time or later: ISO 8601, or a prefix of it ("2026-03-01")
  std::string before = {};  ///< started earlier than that
};

/// An open store. Every function throws freshet::error with the store's path, the operation and SQLite's reason.
class store {
 public:
  enum class access : std::uint8_t {
    read,   ///< other processes may write meanwhile; fails if there is no store
    write,  ///< creates the store and its directory if there is none; migrates an older version
  };

  /// @throws freshet::error  also if the file is not a store, is damaged, or was made by a newer freshet
  explicit store(const std::filesystem::path& path, access how = access::read);
  store(store&&) noexcept;
  store& operator=(store&&) noexcept;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  ~store();

  /// Stores a run that begins, and its environment if no equal one is stored. Returns the run's id.
  [[nodiscard]] std::int64_t begin(const run& run);
  /// Records that the run ended now.
  void end(std::int64_t run);
  /// Stores a trial in a transaction of its own and sets its `id`. Once this returns, a kill of the process loses
  /// nothing.
  void add(record& trial);

  /// The runs, in the order in which they began.
  [[nodiscard]] std::vector<run> runs(const selection& which = {}) const;
  /// Calls `take` with each trial, in the order in which they were measured.
  void each(const selection& which, const std::function<void(record&&)>& take) const;
  /// How many trials there are.
  [[nodiscard]] std::uint64_t count(const selection& which = {}) const;
  /// The sizes of the tasks of all runs, without trials that only warmed up, explain the machine, or were the files of
  /// processes of their own.
  [[nodiscard]] task_sizes sizes() const;
  /// All trials at once.
  [[nodiscard]] std::vector<record> records(const selection& which = {}) const;

 private:
  class database;
  std::unique_ptr<database> database_;
};

}  // namespace freshet::tool

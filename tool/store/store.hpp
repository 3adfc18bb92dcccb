// The file that keeps every trial: one SQLite database, for all commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// Where trials are kept unless the user says otherwise: $XDG_STATE_HOME/freshet/trials.sqlite, in ~/.local/state where
/// that is unset. Empty where neither is known. Source: XDG Base Directory Specification 0.8.
[[nodiscard]] std::filesystem::path default_store();

/// Which trials are wanted of a store; what is left empty asks for nothing.
struct selection {
  std::vector<std::int64_t> runs = {};  ///< by their ids
  std::string command = {};
  std::string since = {};   ///< started at this time or later: ISO 8601, or a beginning of it ("2026-03-01")
  std::string before = {};  ///< started earlier than that
};

/// An open store. All functions @throw freshet::error, with the store's path, the operation and SQLite's reason.
class store {
 public:
  enum class access : std::uint8_t {
    read,   ///< others may write meanwhile; fails where there is none
    write,  ///< makes it, and its directory, where there is none; migrates one of an older version
  };

  /// @throws freshet::error  also where it is no store, damaged, or was made by a newer freshet
  explicit store(const std::filesystem::path& path, access how = access::read);
  store(store&&) noexcept;
  store& operator=(store&&) noexcept;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  ~store();

  /// Keeps a run that begins, its environment only where it is another one than those already kept. Returns its id.
  [[nodiscard]] std::int64_t begin(const run& begun);
  /// Notes that it ended now.
  void end(std::int64_t run);
  /// Keeps a trial, in a transaction of its own: when this returns, a killed process has lost nothing of it. Sets `id`.
  void add(record& made);

  /// In the order in which they began.
  [[nodiscard]] std::vector<run> runs(const selection& which = {}) const;
  /// Hands the trials to `take` one by one, in the order in which they were made.
  void each(const selection& which, const std::function<void(record&&)>& take) const;
  /// All of them at once.
  [[nodiscard]] std::vector<record> records(const selection& which = {}) const;

 private:
  class database;
  std::unique_ptr<database> database_;
};

}  // namespace freshet::tool

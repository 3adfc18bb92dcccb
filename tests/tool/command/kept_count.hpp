// How far a command that is running has come.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/support/freshet_command.hpp"

namespace freshet::test {

/// The number of trials that commands started by `freshet` have kept so far.
[[nodiscard]] inline int count_kept_trials(const freshet_command& freshet) {
  try {
    const SQLite::Database store{(freshet.state_home() / "freshet/trials.sqlite").string()};
    SQLite::Statement count{store, "SELECT count(*) FROM trials"};
    return count.executeStep() ? count.getColumn(0).getInt() : 0;
  } catch (const SQLite::Exception&) {
    return 0;  // it is not there yet, or is just being written
  }
}

}  // namespace freshet::test

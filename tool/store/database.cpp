#include "tool/store/database.hpp"

#include <sqlite3.h>

#include <system_error>

#include <SQLiteCpp/Statement.h>

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/store/schema.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr double lock_timeout = 10;     // seconds that another process may hold the store's lock
constexpr double creation_timeout = 2;  // seconds that it may take to fill a store that it has just created
constexpr double pause = 0.005;         // seconds between two tries

// SQLite reports only that opening failed; the system call has the reason. @throws freshet::error  with that reason
void throw_system_reason(const fs::path& file, store::access how) {
  std::error_code failure;
  const bool writes = how == store::access::write;
  using disposition = detail::os::open_request::disposition;
  const detail::os::file opened = detail::os::file::open(
      file, {.creation = writes ? disposition::create : disposition::existing, .read = true, .write = writes}, failure);
  if (failure) throw error{failure, "open", file};
}

// Anything but a database must not be opened at all: a pipe would wait for a writer, and SQLite takes a file of a few
// bytes for an empty database. @throws freshet::error
void require_file(const fs::path& file, store::access how) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (fs::exists(status) && !fs::is_regular_file(status))
    refuse(std::errc::invalid_argument, "open", file, "it is not a regular file");
  constexpr std::uintmax_t smallest = 512;  // bytes of a database that is not empty
  const auto size_now = [&] { return fs::is_regular_file(status) ? fs::file_size(file) : smallest; };
  std::uintmax_t size = size_now();
  for (const stopwatch watch; size == 0 && how == store::access::read && watch.seconds() < creation_timeout;) {
    sleep_interruptibly(pause);
    size = size_now();
  }
  // Whoever only reads must not make a store of somebody's empty file.
  if (size < smallest && (size > 0 || how == store::access::read)) throw store_error(SQLITE_NOTADB, "open", file);
  if (status.type() != fs::file_type::not_found) return;
  if (how == store::access::read) throw error{failure, "open", file};
  fs::create_directories(file.parent_path(), failure);
  if (failure) throw error{failure, "create the directory of", file};
}

}  // namespace

/// Retries a lock that another process holds until the time is up or a signal arrives.
class open_database::lock_wait {
 public:
  explicit lock_wait(SQLite::Database& database) { sqlite3_busy_handler(database.getHandle(), &retry, this); }
  lock_wait(const lock_wait&) = delete;
  lock_wait& operator=(const lock_wait&) = delete;

 private:
  static int retry(void* self, int attempts) {
    stopwatch& watch = static_cast<lock_wait*>(self)->watch_;
    if (attempts == 0) watch = {};
    try {
      sleep_interruptibly(pause);
    } catch (const interrupted&) {
      return 0;  // C code calls this; store_error() throws the interruption again
    }
    return watch.seconds() < lock_timeout ? 1 : 0;
  }

  stopwatch watch_;
};

// SQLite takes an absolute path for a file, whatever its name.
open_database::open_database(const fs::path& path, store::access how) : file_{fs::absolute(path).lexically_normal()} {
  require_file(file_, how);
  translate_errors("open", file_, [&] {
    connect(how);
    if (how == store::access::read && is_readable()) return;
    if (how == store::access::read) connect(store::access::write);
    prepare_for_writing();
    if (how == store::access::read) connect(store::access::read);
  });
}

open_database::~open_database() = default;

void open_database::connect(store::access how) {
  wait_.reset();
  handle_.reset();
  const bool writes = how == store::access::write;
  try {
    handle_.emplace(file_.c_str(), writes ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception&) {
    throw_system_reason(file_, how);
    throw;
  }
  wait_ = std::make_unique<lock_wait>(*handle_);
  // Where it may not write, SQLite opens the file for reading instead of failing.
  if (writes && sqlite3_db_readonly(handle_->getHandle(), "main") != 0) {
    throw_system_reason(file_, how);
    throw store_error(SQLITE_READONLY, "open", file_);
  }
}

// False if the store must first be opened for writing: to roll back what a killed process was writing, to create the
// tables, or to migrate those of an older freshet.
bool open_database::is_readable() {
  try {
    return read_schema_age(*handle_, file_, current_schema()) == schema_age::current;
  } catch (const SQLite::Exception& reported) {
    if (reported.getExtendedErrorCode() != SQLITE_READONLY_ROLLBACK) throw;
    return false;
  }
}

void open_database::prepare_for_writing() {
  const schema_age age = read_schema_age(*handle_, file_, current_schema());
  // Writing to a damaged store would damage more of it.
  if (handle_->execAndGet("PRAGMA quick_check(1)").getString() != "ok")
    throw store_error(SQLITE_CORRUPT, "open", file_);
  handle_->exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (age != schema_age::current) migrate(*handle_, file_, current_schema());
}

}  // namespace freshet::tool

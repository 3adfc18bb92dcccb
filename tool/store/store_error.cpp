#include "tool/store/store_error.hpp"

#include <sqlite3.h>

#include <string>
#include <system_error>

#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

constexpr int primary(int code) { return code & 0xff; }

class sqlite_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "sqlite"; }
  [[nodiscard]] std::string message(int code) const override { return sqlite3_errstr(code); }
  [[nodiscard]] std::error_condition default_error_condition(int code) const noexcept override {
    switch (primary(code)) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        return std::errc::device_or_resource_busy;
      case SQLITE_FULL:
        return std::errc::no_space_on_device;
      case SQLITE_READONLY:
      case SQLITE_PERM:
        return std::errc::permission_denied;
      case SQLITE_IOERR:
        return std::errc::io_error;
      default:
        return {code, *this};
    }
  }
};

std::string_view advise(int code) {
  switch (primary(code)) {
    case SQLITE_CORRUPT:
      return "the store is damaged; it is left unchanged. To begin a new one, move it away or name another with "
             "--store";
    case SQLITE_NOTADB:
      return "not a freshet store; left unchanged";
    case SQLITE_BUSY:
      return "another process has held the store's lock for 10 s";
    default:
      return {};
  }
}

const std::error_category& sqlite_errors() {
  static const sqlite_category instance;
  return instance;
}

}  // namespace

error store_error(int code, std::string_view operation, const std::filesystem::path& file) {
  return {std::error_code{code, sqlite_errors()}, operation, file, error::no_offset, advise(code)};
}

error store_error(const SQLite::Exception& reported, std::string_view operation, const std::filesystem::path& file) {
  if (primary(reported.getErrorCode()) == SQLITE_BUSY) throw_if_interrupted();
  if (reported.getErrorCode() > SQLITE_ERROR) return store_error(reported.getExtendedErrorCode(), operation, file);
  // For wrong SQL, or a misuse that SQLiteCpp detects, only the message says what is wrong.
  return {std::error_code{SQLITE_ERROR, sqlite_errors()}, operation, file, error::no_offset, reported.what()};
}

}  // namespace freshet::tool

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

std::string_view advice(int code) {
  switch (primary(code)) {
    case SQLITE_CORRUPT:
      return "the store is damaged, and stays as it is; another --store, or this one moved away, begins a new one";
    case SQLITE_NOTADB:
      return "it is no store of freshet's, and stays as it is";
    case SQLITE_BUSY:
      return "another process has had the store for 10 s";
    default:
      return {};
  }
}

const std::error_category& category() {
  static const sqlite_category only;
  return only;
}

}  // namespace

error store_error(int code, std::string_view operation, const std::filesystem::path& file) {
  return {std::error_code{code, category()}, operation, file, error::no_offset, advice(code)};
}

error store_error(const SQLite::Exception& reported, std::string_view operation, const std::filesystem::path& file) {
  if (primary(reported.getErrorCode()) == SQLITE_BUSY) throw_if_interrupted();
  if (reported.getErrorCode() > SQLITE_ERROR) return store_error(reported.getExtendedErrorCode(), operation, file);
  // SQL that is wrong, or a misuse that SQLiteCpp found: only the words say what.
  return {std::error_code{SQLITE_ERROR, category()}, operation, file, error::no_offset, reported.what()};
}

}  // namespace freshet::tool

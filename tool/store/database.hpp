// An open store as an SQLite database: what the tables of trials and of campaigns have in common.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Database.h>

#include "tool/store/store.hpp"
#include "tool/store/store_error.hpp"

namespace freshet::tool {

/// Opens a store as store's constructor says, with all tables of the current version.
class open_database {
 public:
  open_database(const std::filesystem::path& path, store::access how);
  open_database(const open_database&) = delete;
  open_database& operator=(const open_database&) = delete;
  ~open_database();

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] SQLite::Database& handle() noexcept { return *handle_; }

  /// Calls `work` with the database; throws what SQLite reports as a freshet::error.
  template <typename Work>
  decltype(auto) work(std::string_view operation, Work&& work) {
    return translate_errors(operation, file_, [&]() -> decltype(auto) { return work(*handle_); });
  }

 private:
  class lock_wait;

  void connect(store::access how);
  [[nodiscard]] bool is_readable();
  void prepare_for_writing();

  std::filesystem::path file_;
  std::optional<SQLite::Database> handle_;
  std::unique_ptr<lock_wait> wait_;
};

}  // namespace freshet::tool

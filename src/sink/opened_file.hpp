// What an output has opened: the file, its name, and what is known of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <freshet/options.hpp>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "src/sink/deletion.hpp"
#include "src/sink/publisher.hpp"
#include "src/sink/scratch_file.hpp"

namespace freshet::detail {

/// A file that is open for writing: named, hidden until it is complete, temporary, deleted when it is closed, or a
/// descriptor that was opened elsewhere.
class opened_file {
 public:
  /// Opens nothing yet.
  opened_file(native_string path, const writer_options& options) : path_{std::move(path)}, options_{options} {}

  /// Opens the file as the options say.
  /// @param read            the method also reads it
  /// @param keeps_content   an existing file is not emptied yet, because the file may still be refused; see empty()
  /// @throws freshet::error
  void open(bool read, bool keeps_content);
  /// Opens the file by `request`, or a temporary one, to be changed at any position. @throws freshet::error
  void open_to_edit(const os::open_request& request);
  /// Takes an open descriptor, which close() closes if it is `owned`. @throws freshet::error
  void adopt(native_handle_type descriptor, bool owned);
  /// For a method that needs no file: from now on the status is known.
  void open_nothing() { status_.emplace(); }

  /// Empties a file that open() opened with its content. @throws freshet::error
  void empty();

  [[nodiscard]] const native_string& path() const noexcept { return path_; }
  [[nodiscard]] os::file& file() noexcept { return file_; }
  [[nodiscard]] const os::file& file() const noexcept { return file_; }
  /// What the file was when it was opened; empty before stat().
  [[nodiscard]] const std::optional<os::file_status>& status() const noexcept { return status_; }
  /// Finds that out. A new file that is written from its beginning may do without. Precondition: it is not known yet.
  void stat(std::error_code& error) noexcept;
  [[nodiscard]] bool is_regular() const noexcept { return status_ && status_->kind == os::file_kind::regular; }
  [[nodiscard]] bool is_block_device() const noexcept {
    return status_ && status_->kind == os::file_kind::block_device;
  }
  [[nodiscard]] bool has_size() const noexcept { return status_ && os::has_size(status_->kind); }
  /// Whether every write is on the device when it returns (O_DSYNC).
  [[nodiscard]] bool is_synchronous() const noexcept { return synchronous_; }
  [[nodiscard]] std::uint64_t size(std::error_code& error) const noexcept;

  [[nodiscard]] bool is_in_memory() const noexcept { return scratch_ && scratch_->is_in_memory(); }
  /// Moves a temporary file out of memory; its status is unknown afterwards. Precondition: is_in_memory().
  void leave_memory(std::error_code& error) noexcept;

  /// Whether the file has no name yet.
  [[nodiscard]] bool is_hidden() const noexcept { return publisher_.is_pending(); }
  /// Gives a hidden file the attributes of the one that it replaces. After the last byte: the kernel takes set-user-ID,
  /// set-group-ID and capabilities from a file that is written.
  void copy_attributes(std::error_code& error) noexcept;
  /// Gives a hidden file its name.
  void publish(std::error_code& error) noexcept;

  /// Waits until the device has the bytes. Returns false for pipes and terminals, which have no device below them.
  bool sync_data(std::error_code& error) noexcept;
  /// Whether sync_entry() has something to do: a named regular file whose directory entry may not be on the device.
  [[nodiscard]] bool needs_entry_sync() const noexcept;
  /// Waits until the device has the directory entry.
  void sync_entry(std::error_code& error) noexcept;

  /// Deletes a file that is to be deleted when it is closed; nothing else.
  void remove_if_asked(std::error_code& error) noexcept;
  /// Closes the file. A hidden one without a name is gone then.
  void close(std::error_code& error) noexcept;

 private:
  [[nodiscard]] bool may_be_regular() const noexcept { return is_regular() || is_unknown_; }
  void open_named(os::open_request request);
  void open_hidden();
  void open_temporary();

  native_string path_;
  writer_options options_;
  os::file file_;
  publisher publisher_;
  std::unique_ptr<deletion> deletion_;     // null unless options_.delete_on_close
  std::unique_ptr<scratch_file> scratch_;  // null unless options_.temporary
  os::directory directory_;                // of a file that is to be durable; else opened by the first sync_entry()
  std::optional<os::file_status> status_;
  bool is_unknown_ = false;  // the system refuses the status, which then says nothing
  bool synchronous_ = false;
  bool has_new_attributes_ = false;  // which are not on the device
  bool entry_durable_ = false;       // the directory entry is on the device
};

}  // namespace freshet::detail

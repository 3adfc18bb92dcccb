// The half that all filters of read bytes share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/error.hpp>

#include "src/os/native_string.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// A source whose bytes are made from those of another one, `inner_`.
class filtered_input : public source {
 public:
  [[nodiscard]] bool can_seek() noexcept override { return inner_->can_seek(); }
  [[nodiscard]] bool has_position() const noexcept override { return inner_->has_position(); }
  void follow_descriptor() noexcept override { inner_->follow_descriptor(); }
  void share_position() noexcept override { inner_->share_position(); }
  void yield_position() noexcept override { inner_->yield_position(); }
  void allow_truncation() noexcept override { inner_->allow_truncation(); }
  [[nodiscard]] error failure_as_error() const override {
    if (inner_->failure()) return inner_->failure_as_error();
    return is_unclosed_ ? unclosed_file(path_, "read", window_.offset()) : source::failure_as_error();
  }
  [[nodiscard]] error size_failure_as_error(std::error_code failure) const override {
    if (size_lacks_end_) return unclosed_file(path_, "get the size of", error::no_offset);
    if (failure_) return failure_as_error();
    return inner_->failure() ? inner_->failure_as_error() : inner_->size_failure_as_error(failure);
  }

  [[nodiscard]] std::string_view method_name() const noexcept override { return inner_->method_name(); }
  [[nodiscard]] file_statistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] native_handle_type descriptor() const noexcept override { return inner_->descriptor(); }

 protected:
  explicit filtered_input(std::unique_ptr<source> inner) : source{inner->path().native()}, inner_{std::move(inner)} {}

  /// Takes over an error of the inner source; returns whether there is none.
  bool take_failure() noexcept {
    if (!failure_ && inner_->failure()) fail("read", inner_->failure());
    return !failure_;
  }

  /// Records that the file lacks the end which only close() writes.
  void fail_as_unclosed() noexcept {
    if (failure_) return;
    fail("read", std::make_error_code(std::errc::bad_message));
    is_unclosed_ = true;
  }

  /// The error of a file that lacks its end. `operation` must be a literal.
  [[nodiscard]] static error unclosed_file(const native_string& path, std::string_view operation,
                                           std::uint64_t offset) {
    const std::string name = path.empty() ? "the file" : to_utf8(path);
    return {std::make_error_code(std::errc::bad_message), operation, path, offset,
            name + " was not closed by its writer, or it was cut"};
  }

  std::unique_ptr<source> inner_;
  bool size_lacks_end_ = false;  // size() failed because the file lacks its end

 private:
  bool is_unclosed_ = false;
};

}  // namespace freshet::detail

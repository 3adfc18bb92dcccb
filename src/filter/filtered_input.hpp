// The half that all filters of read bytes share.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "src/source/source.hpp"

namespace freshet::detail {

/// A source whose bytes are made from those of another one, `inner_`.
class filtered_input : public source {
 public:
  [[nodiscard]] bool can_seek() noexcept override { return inner_->can_seek(); }
  [[nodiscard]] bool has_position() const noexcept override { return inner_->has_position(); }
  void follow_descriptor() noexcept override { inner_->follow_descriptor(); }
  void share_position() noexcept override { inner_->share_position(); }
  void rest() noexcept override { inner_->rest(); }
  void allow_truncation() noexcept override { inner_->allow_truncation(); }
  [[nodiscard]] error failure_as_error() const override {
    return inner_->failure() ? inner_->failure_as_error() : source::failure_as_error();
  }

  [[nodiscard]] std::string_view method_name() const noexcept override { return inner_->method_name(); }
  [[nodiscard]] file_statistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] int descriptor() const noexcept override { return inner_->descriptor(); }

 protected:
  explicit filtered_input(std::unique_ptr<source> inner) : source{inner->path().native()}, inner_{std::move(inner)} {}

  /// Takes over an error of the inner source; returns whether there is none.
  bool take_failure() noexcept {
    if (!failure_ && inner_->failure()) fail("read", inner_->failure());
    return !failure_;
  }

  std::unique_ptr<source> inner_;
};

}  // namespace freshet::detail

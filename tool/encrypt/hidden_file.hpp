// A file that stays hidden until it is complete, for streams that can open a file only by its path.
#pragma once

#include <filesystem>
#include <system_error>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "src/temporary_file.hpp"

namespace freshet::tool {

/// An empty file in the directory of `target`, under a temporary name. The destructor removes it unless it was
/// published.
class hidden_file {
 public:
  /// @throws freshet::error
  explicit hidden_file(std::filesystem::path target) : target_{std::move(target)} {
    std::error_code failure;
    const detail::os::open_request request{.what = detail::os::open_request::disposition::create_new};
    path_ = detail::under_free_name(
        detail::directory_of(target_),
        [&](const auto& name) { std::ignore = detail::os::file::open(name, request, failure); }, failure);
    if (failure) throw error{failure, "open", target_};
  }
  hidden_file(const hidden_file&) = delete;
  hidden_file& operator=(const hidden_file&) = delete;
  ~hidden_file() {
    std::error_code ignored;
    if (!path_.empty()) detail::os::remove(path_, ignored);
  }

  /// The temporary name.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Renames it to its target, and replaces a file of that name. @throws freshet::error
  void publish() {
    std::error_code failure;
    detail::uninterrupted(failure, [&] { detail::os::rename(path_, target_, failure); });
    if (failure) throw error{failure, "rename a temporary file to", target_};
    path_.clear();
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

}  // namespace freshet::tool

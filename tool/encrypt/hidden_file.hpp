// A file that nobody is to see before it is complete, for what can only be told a path.
#pragma once

#include <filesystem>
#include <system_error>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "src/temporary_file.hpp"

namespace freshet::tool {

/// An empty file beside `meant`, under a name of its own; removed in the end unless it was published.
class hidden_file {
 public:
  /// @throws freshet::error
  explicit hidden_file(std::filesystem::path meant) : meant_{std::move(meant)} {
    std::error_code failure;
    const detail::os::open_request request{.what = detail::os::open_request::disposition::create_new};
    path_ = detail::under_free_name(
        detail::directory_of(meant_),
        [&](const auto& name) { std::ignore = detail::os::file::open(name, request, failure); }, failure);
    if (failure) throw error{failure, "open", meant_};
  }
  hidden_file(const hidden_file&) = delete;
  hidden_file& operator=(const hidden_file&) = delete;
  ~hidden_file() {
    std::error_code ignored;
    if (!path_.empty()) detail::os::remove(path_, ignored);
  }

  /// What it is called for now.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Gives it the name that is meant; a file of that name is replaced. @throws freshet::error
  void publish() {
    std::error_code failure;
    detail::uninterrupted(failure, [&] { detail::os::rename(path_, meant_, failure); });
    if (failure) throw error{failure, "give its name to", meant_};
    path_.clear();
  }

 private:
  std::filesystem::path meant_;
  std::filesystem::path path_;
};

}  // namespace freshet::tool

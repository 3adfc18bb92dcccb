#include "src/publisher.hpp"

#include <tuple>

#include "src/method/transfer.hpp"
#include "src/temporary_file.hpp"

namespace freshet::detail {

os::file publisher::open_hidden(const std::filesystem::path& path, const os::open_request& request,
                                std::error_code& error) {
  os::file file;
  std::tie(file, temporary_) = open_temporary(directory_of(path), request, error);
  pending_ = file.is_open();
  return file;
}

// A link never replaces an existing name, so replacing takes two steps: a temporary name, then a rename.
void publisher::publish(const os::file& file, const std::filesystem::path& path, bool replace,
                        std::error_code& error) noexcept {
  error.clear();
  const auto link_as = [&](const std::filesystem::path& name) {
    uninterrupted(error, [&] { file.link_as(name, error); });
  };
  if (!replace || temporary_.empty()) link_as(path);
  if (!replace) return;
  if (temporary_.empty() && error == std::errc::file_exists)
    temporary_ = under_free_name(directory_of(path), link_as, error);
  if (temporary_.empty() || error) return;
  uninterrupted(error, [&] { os::rename(temporary_, path, error); });
  if (!error) pending_ = false;
}

void publisher::discard() noexcept {
  std::error_code ignored;
  const bool is_ours = generation_ == os::fork_generation();
  if (pending_ && is_ours && !temporary_.empty()) uninterrupted(ignored, [&] { os::remove(temporary_, ignored); });
  temporary_.clear();
}

}  // namespace freshet::detail

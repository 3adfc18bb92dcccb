// What files, mappings and directories do alike on all systems.
#include "src/os/file.hpp"

#include <utility>

#include "src/os/directory.hpp"
#include "src/os/same_file.hpp"

namespace freshet::detail::os {

file::file(file&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, no_native_handle)},
      owned_{std::exchange(other.owned_, false)},
      direct_{std::exchange(other.direct_, direct_state{})} {}

file& file::operator=(file&& other) noexcept {
  file taken{std::move(other)};
  std::swap(descriptor_, taken.descriptor_);
  std::swap(owned_, taken.owned_);
  std::swap(direct_, taken.direct_);
  return *this;
}

file::~file() {
  std::error_code ignored;
  close(ignored);
}

mapping::mapping(mapping&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, length_{std::exchange(other.length_, 0)} {}

mapping& mapping::operator=(mapping&& other) noexcept {
  mapping taken{std::move(other)};
  std::swap(data_, taken.data_);
  std::swap(length_, taken.length_);
  return *this;
}

bool directory::is_local() const noexcept { return os::is_local(file::wrap(descriptor_, false)); }

void sync_directory(const std::filesystem::path& path, std::error_code& error) noexcept {
  const auto opened = directory::open(path, error);
  if (!error) opened.sync(error);
}

}  // namespace freshet::detail::os

// Files without a number, as some servers have them, are not known to be the same.
bool freshet::detail::is_same_file(native_handle_type one, native_handle_type other) noexcept {
  std::error_code error_of_one, error_of_other;
  const auto first = os::file::wrap(one, false).status(error_of_one);
  const auto second = os::file::wrap(other, false).status(error_of_other);
  return !error_of_one && !error_of_other && first.kind == os::file_kind::regular && first.device == second.device &&
         first.inode == second.inode && first.inode != 0;
}

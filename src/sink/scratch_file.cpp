#include "src/sink/scratch_file.hpp"

#include <new>
#include <string>
#include <utility>

#include "src/base/pool.hpp"
#include "src/base/temporary_file.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

constexpr std::size_t copied_at_once = std::size_t{1} << 20;

// Copies the whole content.
void copy(os::file& from, os::file& to, std::error_code& error) {
  auto memory = pool::take(copied_at_once);
  if (!memory) {
    error = std::make_error_code(std::errc::not_enough_memory);
    return;
  }
  for (std::uint64_t offset = 0;;) {
    const auto bytes = memory.bytes().first(read_some(from, memory.bytes(), offset, pread_once, error));
    if (error || bytes.empty()) return;
    offset += write_all(to, bytes, offset, pwrite_once, error);
    if (error) return;
  }
}

}  // namespace

os::file scratch_file::open(const std::filesystem::path& path, std::uint64_t memory, std::error_code& error) {
  uninterrupted(error, [&] { directory_ = os::directory::open(path, error); });
  if (error) return {};
  os::file file;
  if (memory != 0) file = os::file::in_memory(error);
  in_memory_ = file.is_open();
  return in_memory_ ? std::move(file) : open_in_directory(error);
}

void scratch_file::spill(os::file& file, std::error_code& error) noexcept try {
  // The parent of a fork would not see what its child writes to another file.
  if (generation_ != os::fork_generation()) {
    error = std::make_error_code(std::errc::owner_dead);
    return;
  }
  os::file target = open_in_directory(error);
  if (!error) copy(file, target, error);
  std::uint64_t position = 0;
  if (!error) position = file.position(error);
  if (!error) target.set_position(position, error);
  if (!error) uninterrupted(error, [&] { file.replace(target, error); });
  if (!error) in_memory_ = false;
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
}

os::file scratch_file::open_in_directory(std::error_code& error) const {
  std::pair<os::file, native_string> opened = open_temporary(
      directory_, {.read = true, .permissions = 0600, .temporary = true, .delete_on_close = os::deletes_on_close},
      naming::never, error);
  if (!os::deletes_on_close && !error && !opened.second.empty())
    uninterrupted(error, [&] { directory_.remove(opened.second, error); });
  return error ? os::file{} : std::move(opened.first);
}

}  // namespace freshet::detail

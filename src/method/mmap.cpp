// Writes into a shared mapping of the file.
#include <algorithm>
#include <cstring>

#include "src/method/methods.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {
namespace {

class mapped final : public method {
 public:
  mapped(os::file& target, const method_setup& setup)
      : file_{target},
        each_write_{setup.durability == durability::each_write},
        reserve_{setup.reserve},
        completed_{setup.start} {
    std::error_code unknown;
    uninterrupted(unknown, [&] { size_ = initial_size_ = file_.status(unknown).size; });
  }

  block exchange(full_block full, std::error_code& error) noexcept override {
    auto bytes = full.bytes();
    error = check_owner();
    while (!bytes.empty() && !error && !is_refused_) {
      const auto room = window_at(completed_, error);
      // What a limit of files' sizes has no room for may be more than is written.
      is_refused_ = is_refusal(error) || is_shortage(error) || error == std::errc::file_too_large;
      if (error) break;
      const std::size_t taken = std::min(bytes.size(), room.size());
      std::memcpy(room.data(), bytes.data(), taken);
      completed_ += taken;
      bytes = bytes.subspan(taken);
    }
    if (is_refused_) {
      mapping_ = {};
      completed_ += write_all(file_, bytes, completed_, pwrite_once, error);
    }
    // fdatasync also writes mapped pages and the size that they need.
    if (os::mappings_sync_apart && each_write_ && !error) uninterrupted(error, [&] { mapping_.sync(error); });
    if (each_write_ && !error) uninterrupted(error, [&] { file_.sync_data(error); });
    return std::move(full.memory);
  }

  void drain(std::error_code& error) noexcept override {
    error = check_owner();
    if (error) return;
    // No page beyond the file's end may stay mapped.
    mapping_ = {};
    const std::uint64_t length = std::max(completed_, initial_size_);
    if (std::max(size_, allocated_) > length) uninterrupted(error, [&] { file_.set_size(length, error); });
    if (size_ <= length && is_refusal(error)) error.clear();  // then what was allocated beyond its end stays
    if (error) return;
    size_ = length;
    allocated_ = completed_;
  }

  std::uint64_t completed() const noexcept override { return completed_; }
  std::uint64_t largest_end() const noexcept override { return std::max(completed_, size_); }

  std::string_view fallen_back_to() const noexcept override {
    return is_refused_ ? buffered_method.name : std::string_view{};
  }

 private:
  static constexpr std::uint64_t window = std::uint64_t{16} << 20;

  // A mapping made before a fork belongs to the parent, and so does the file's length: truncating it would unmap the
  // parent's memory.
  std::error_code check_owner() noexcept {
    if (mapping_.bytes().empty()) generation_ = os::fork_generation();
    return generation_ == os::fork_generation() ? std::error_code{} : std::make_error_code(std::errc::owner_dead);
  }

  // Returns the mapped bytes from `offset` to the end of its window.
  std::span<std::byte> window_at(std::uint64_t offset, std::error_code& error) {
    const std::uint64_t begin = offset / window * window;
    if (mapping_.bytes().empty() || begin != mapped_at_) {
      mapping_ = {};
      allocate_up_to(begin + window, error);
      if (!error) uninterrupted(error, [&] { mapping_ = os::mapping::map(file_, begin, window, error); });
      if (error) return {};
      mapped_at_ = begin;
    }
    return mapping_.bytes().subspan(static_cast<std::size_t>(offset - begin));
  }

  // Allocates space first, then sets the size: a full disk is reported here and does not cause SIGBUS at a later store.
  void allocate_up_to(std::uint64_t end, std::error_code& error) {
    const std::uint64_t goal = std::max(end, (reserve_ + window - 1) / window * window);
    if (goal > allocated_) {
      allocated_ = goal;  // some of it may be allocated even after a failure
      uninterrupted(error, [&] { file_.preallocate(completed_, goal - completed_, error); });
    }
    if (os::set_size_allocates && error == std::errc::operation_not_supported) error.clear();
    if (error) return;
    if (goal > size_) uninterrupted(error, [&] { file_.set_size(goal, error); });
    if (!error) size_ = std::max(size_, goal);
  }

  os::file& file_;
  bool each_write_;
  bool is_refused_ = false;  // writes through the page cache, because the system refuses or lacks what a mapping takes
  std::uint64_t reserve_;
  std::uint64_t completed_;
  unsigned generation_ = 0;         // of the mapping
  std::uint64_t initial_size_ = 0;  // a file that was longer is truncated only by close()
  std::uint64_t size_ = 0;
  std::uint64_t allocated_ = 0;
  std::uint64_t mapped_at_ = 0;
  os::mapping mapping_;
};

}  // namespace

std::unique_ptr<method> make_mmap(os::file& target, const method_setup& setup) {
  return std::make_unique<mapped>(target, setup);
}

}  // namespace freshet::detail

// Reads from a shared mapping of the file. The caller sees the page cache itself: nothing is copied, and a page that no
// longer exists cannot be handled (SIGBUS).
#include <algorithm>

#include "src/method/read_method.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class mapped_reading final : public read_method {
 public:
  explicit mapped_reading(os::file& target) : file_{target} {}

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept override {
    error.clear();
    if (offset < begin_ || offset >= begin_ + mapping_.bytes().size()) map_at(offset, error);
    if (error || mapping_.bytes().empty()) return {};
    return std::span<const std::byte>{mapping_.bytes()}.subspan(static_cast<std::size_t>(offset - begin_));
  }

 private:
  static constexpr std::uint64_t smallest_window = 64 << 10;

  // Maps the part of the file in the window around `offset`, or nothing beyond its end.
  void map_at(std::uint64_t offset, std::error_code& error) {
    mapping_ = {};
    std::uint64_t size = 0;
    uninterrupted(error, [&] { size = file_.status(error).size; });
    if (error || offset >= size) return;
    map_window(offset, size, error);
    while (error == std::errc::not_enough_memory && window_ > smallest_window) {
      window_ /= 2;
      map_window(offset, size, error);
    }
  }

  void map_window(std::uint64_t offset, std::uint64_t size, std::error_code& error) {
    begin_ = offset / window_ * window_;
    const auto length = static_cast<std::size_t>(std::min(window_, size - begin_));
    uninterrupted(error, [&] { mapping_ = os::mapping::map_to_read(file_, begin_, length, error); });
  }

  os::file& file_;
  // Address space costs nothing where no limit bounds it, and views of files up to this size need not be joined.
  std::uint64_t window_ = std::uint64_t{1} << 30;
  std::uint64_t begin_ = 0;
  os::mapping mapping_;
};

}  // namespace

std::unique_ptr<read_method> make_mmap_reading(os::file& target, const read_setup& /*setup*/) {
  return std::make_unique<mapped_reading>(target);
}

}  // namespace freshet::detail

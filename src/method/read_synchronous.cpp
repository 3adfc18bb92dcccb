// Reads one block after another into the same memory: through the page cache, from pipes and devices, and with
// O_DIRECT.
#include <algorithm>
#include <limits>

#include "src/method/read_method.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class synchronous_reading final : public read_method {
 public:
  synchronous_reading(os::file& target, const read_setup& setup, read_function read_once)
      : file_{target},
        block_size_{setup.block},
        read_once_{read_once},
        at_own_position_{setup.at_own_position},
        aligns_{setup.descriptor_is_direct && !setup.at_own_position} {}

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept override {
    if (!block_) block_ = pool::take(block_size_);
    if (!block_) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    if (aligns_) return read_aligned(offset, error);
    auto into = at_own_position_ ? block_.bytes() : place_of(offset, block_.bytes());
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - offset)));
    return into.first(read_some(file_, into, offset, read_once_, error));
  }

  std::optional<std::size_t> read_unbuffered(std::span<std::byte> into, std::uint64_t offset,
                                             std::error_code& error) noexcept override {
    error.clear();
    if (aligns_ || (read_once_ == pread_direct_once && !is_aligned(into.first(0), offset))) return std::nullopt;
    return read_some(file_, into, offset, read_once_, error);
  }

  void limit(std::uint64_t end) noexcept override { end_ = end; }

 private:
  // The bytes before `offset` are read, too, and left out.
  std::span<const std::byte> read_aligned(std::uint64_t offset, std::error_code& error) {
    const auto before = static_cast<std::size_t>(offset % smallest_block);
    const auto into = place_of(offset - before, block_.bytes());
    const std::size_t length = read_some(file_, into, offset - before, read_once_, error);
    return into.first(length).subspan(std::min(before, length));
  }

  os::file& file_;
  std::size_t block_size_;
  read_function read_once_;
  bool at_own_position_;
  bool aligns_;
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
  block block_;
};

}  // namespace

std::unique_ptr<read_method> make_buffered_reading(os::file& target, const read_setup& setup) {
  const read_function read = setup.at_own_position ? read_once : setup.beside_direct ? pread_cached_once : pread_once;
  return std::make_unique<synchronous_reading>(target, setup, read);
}

std::unique_ptr<read_method> make_direct_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<synchronous_reading>(target, setup, pread_direct_once);
}

}  // namespace freshet::detail

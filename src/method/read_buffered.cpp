// Reading through the page cache, and from pipes and devices: one block, filled again and again.
#include "read_method.hpp"
#include "transfer.hpp"

namespace freshet {
namespace {

class buffered_reading final : public read_method {
 public:
  buffered_reading(os::file& target, const read_setup& setup)
      : file_{target}, block_size_{setup.block}, attempt_{setup.at_own_position ? fetch_next : fetch_at} {}

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) override {
    if (!block_) block_ = pool::take(block_size_);
    if (!block_) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    const auto into = place_of(offset, block_.bytes());
    return into.first(read_some(file_, into, offset, attempt_, error));
  }

  std::optional<std::size_t> read_through(std::span<std::byte> into, std::uint64_t offset,
                                          std::error_code& error) override {
    return read_some(file_, into, offset, attempt_, error);
  }

 private:
  os::file& file_;
  std::size_t block_size_;
  read_attempt attempt_;
  block block_;
};

}  // namespace

std::unique_ptr<read_method> make_buffered_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<buffered_reading>(target, setup);
}

}  // namespace freshet

// Reading past the page cache, one block after the other.
#include "read_method.hpp"
#include "transfer.hpp"

namespace freshet {
namespace {

class direct_reading final : public read_method {
 public:
  direct_reading(os::file& target, const read_setup& setup) : file_{target}, block_size_{setup.block} {}

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) override {
    if (!block_) block_ = pool::take(block_size_);
    if (!block_) {
      error = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    const auto into = place_of(offset, block_.bytes());
    return into.first(read_some(file_, into, offset, fetch_direct, error));
  }

  std::optional<std::size_t> read_through(std::span<std::byte> into, std::uint64_t offset,
                                          std::error_code& error) override {
    error.clear();
    if (!is_aligned(into.first(0), offset)) return std::nullopt;
    return read_some(file_, into, offset, fetch_direct, error);
  }

 private:
  os::file& file_;
  std::size_t block_size_;
  block block_;
};

}  // namespace

std::unique_ptr<read_method> make_direct_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<direct_reading>(target, setup);
}

}  // namespace freshet

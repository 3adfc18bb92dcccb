// Writes one block after another with O_DIRECT, past the page cache.
#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class direct final : public method {
 public:
  direct(os::file& target, const method_setup& setup) : file_{target}, completed_{setup.start}, cached_{setup.start} {}

  block exchange(full_block full, std::error_code& error) override {
    completed_ += write_all_direct(file_, full.bytes(), full.offset, cached_, error);
    return std::move(full.memory);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    error.clear();
    if (!is_aligned(bytes, offset)) return false;
    completed_ += write_all_direct(file_, bytes, offset, cached_, error);
    return true;
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 private:
  os::file& file_;
  std::uint64_t completed_;
  cached_bytes cached_;
};

}  // namespace

std::unique_ptr<method> make_direct(os::file& target, const method_setup& setup) {
  return std::make_unique<direct>(target, setup);
}

}  // namespace freshet::detail

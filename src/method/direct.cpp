// Writes one block after another with O_DIRECT, past the page cache.
#include "src/method/methods.hpp"
#include "src/method/registry.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class direct final : public method {
 public:
  direct(os::file& target, const method_setup& setup)
      : file_{target}, may_fall_back_{!setup.strict}, completed_{setup.start}, cached_{setup.start} {}

  block exchange(full_block full, std::error_code& error) noexcept override {
    write(full.bytes(), full.offset, error);
    return std::move(full.memory);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    error.clear();
    if (!is_aligned(bytes, offset)) return false;
    write(bytes, offset, error);
    return true;
  }

  std::uint64_t completed() const noexcept override { return completed_; }

  std::string_view fallen_back_to() const noexcept override {
    return is_refused_ ? buffered_method.name : std::string_view{};
  }

 private:
  void write(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) {
    std::size_t written = 0;
    if (!is_refused_) written = write_all_direct(file_, bytes, offset, cached_, error);
    if (may_fall_back_ && is_refusal(error)) is_refused_ = true;
    if (is_refused_) uninterrupted(error, [&] { file_.set_direct(false, error); });
    if (is_refused_ && !error)
      written += write_all(file_, bytes.subspan(written), offset + written, pwrite_once, error);
    completed_ += written;
  }

  os::file& file_;
  bool may_fall_back_;
  bool is_refused_ = false;  // goes through the page cache, because the system refuses direct I/O
  std::uint64_t completed_;
  cached_bytes cached_;
};

}  // namespace

std::unique_ptr<method> make_direct(os::file& target, const method_setup& setup) {
  return std::make_unique<direct>(target, setup);
}

}  // namespace freshet::detail

// The methods that use the page cache: plain, with pages written and dropped by the kernel, and with pages written and
// dropped by the method itself.
#include <algorithm>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class buffered : public method {
 public:
  buffered(os::file& target, const method_setup& setup, write_function write_once)
      : file_{target}, write_once_{write_once}, completed_{setup.start} {}

  block exchange(full_block full, std::error_code& error) override {
    static_cast<void>(write_unbuffered(full.bytes(), full.offset, error));
    return std::move(full.memory);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    completed_ += write_all(file_, bytes, offset, write_once_, error);
    return true;
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 protected:
  os::file& file_;
  write_function write_once_;
  std::uint64_t completed_;
};

class dontcache final : public buffered {
 public:
  dontcache(os::file& target, const method_setup& setup)
      : buffered{target, setup, pwrite_dontcache_once}, strict_{setup.strict} {}

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    const std::uint64_t before = completed_;
    buffered::write_unbuffered(bytes, offset, error);
    if (!strict_ && error == std::errc::operation_not_supported && completed_ == before) {
      write_once_ = pwrite_once;
      buffered::write_unbuffered(bytes, offset, error);
    }
    return true;
  }

 private:
  bool strict_;
};

class writebehind final : public buffered {
 public:
  writebehind(os::file& target, const method_setup& setup)
      : buffered{target, setup, pwrite_once}, started_{completed_}, dropped_{completed_} {}

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    while (!bytes.empty() && !error) {
      const auto piece = bytes.first(std::min(bytes.size(), window));
      buffered::write_unbuffered(piece, offset, error);
      bytes = bytes.subspan(piece.size());
      offset += piece.size();
      if (!error && completed_ - started_ >= window) write_back(error);
    }
    return true;
  }

 private:
  // Waits two windows behind the cursor, where the device has had enough time: this does not stall the program, and
  // keeps dirty pages from accumulating until the kernel throttles it.
  static constexpr std::size_t window = writebehind_window;

  void write_back(std::error_code& error) {
    uninterrupted(error, [&] { file_.start_writeback(started_, completed_ - started_, error); });
    if (!error && started_ > dropped_) {
      const std::uint64_t length = started_ - dropped_;
      uninterrupted(error, [&] { file_.wait_writeback(dropped_, length, error); });
      if (!error) uninterrupted(error, [&] { file_.advise(os::advice::dont_need, dropped_, length, error); });
      dropped_ = started_;
    }
    started_ = completed_;
  }

  std::uint64_t started_;
  std::uint64_t dropped_;
};

}  // namespace

std::unique_ptr<method> make_buffered(os::file& target, const method_setup& setup) {
  return std::make_unique<buffered>(target, setup, setup.append ? append_once : pwrite_once);
}

std::unique_ptr<method> make_dontcache(os::file& target, const method_setup& setup) {
  return std::make_unique<dontcache>(target, setup);
}

std::unique_ptr<method> make_writebehind(os::file& target, const method_setup& setup) {
  return std::make_unique<writebehind>(target, setup);
}

}  // namespace freshet::detail

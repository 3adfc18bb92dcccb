// The methods that use the page cache: plain, with pages written and dropped by the kernel, and with pages written and
// dropped by the method itself.
#include <algorithm>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class buffered : public method {
 public:
  buffered(os::file& target, const method_setup& setup, write_function write_once, bool may_fall_back = false)
      : file_{target}, write_once_{write_once}, may_fall_back_{may_fall_back}, completed_{setup.start} {}

  block exchange(full_block full, std::error_code& error) noexcept override {
    static_cast<void>(write_unbuffered(full.bytes(), full.offset, error));
    return std::move(full.memory);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    const std::size_t written = write_all(file_, bytes, offset, write_once_, error);
    completed_ += written;
    if (written > 0 || error != std::errc::operation_not_supported || !may_fall_back_) return true;
    write_once_ = pwrite_once;
    may_fall_back_ = false;
    return buffered::write_unbuffered(bytes, offset, error);
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 protected:
  os::file& file_;
  write_function write_once_;
  bool may_fall_back_;  // to pwrite(), where the kernel cannot write as asked
  std::uint64_t completed_;
};

class dontcache final : public buffered {
 public:
  dontcache(os::file& target, const method_setup& setup)
      : buffered{target, setup, pwrite_dontcache_once, !setup.strict} {}
};

// Appends are at the descriptor's own position, of which others that append to the file may move the end: what this
// method wrote is then only counted, and the position tells where it is.
class writebehind final : public buffered {
 public:
  writebehind(os::file& target, const method_setup& setup)
      : buffered{target, setup, write_of(setup), setup.drop},
        appends_{setup.append},
        started_{start_of(completed_)},
        dropped_{started_} {}

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    while (!bytes.empty() && !error) {
      const auto piece = bytes.first(std::min(bytes.size(), window));
      buffered::write_unbuffered(piece, offset, error);
      bytes = bytes.subspan(piece.size());
      offset += piece.size();
      waiting_ += piece.size();
      if (!error && waiting_ >= window) write_back(error);
    }
    return true;
  }

 private:
  // Waits two windows behind the cursor, where the device has had enough time: this does not stall the program, and
  // keeps dirty pages from accumulating until the kernel throttles it.
  static constexpr std::size_t window = writebehind_window;
  // The page cache drops only whole folios, which are at most as large and aligned to their size.
  static constexpr std::uint64_t largest_folio = std::uint64_t{2} << 20;

  // The kernel then drops most pages itself when they are written. That alone bounds nothing: it does not wait.
  static write_function write_of(const method_setup& setup) noexcept {
    return setup.append ? append_once : setup.drop ? pwrite_dontcache_once : pwrite_once;
  }
  static std::uint64_t start_of(std::uint64_t offset) noexcept { return offset / largest_folio * largest_folio; }

  void write_back(std::error_code& error) {
    std::uint64_t end = completed_;
    if (appends_) uninterrupted(error, [&] { end = file_.position(error); });
    waiting_ = 0;
    if (error || end <= started_) return;
    uninterrupted(error, [&] { file_.start_writeback(started_, end - started_, error); });
    if (!error && started_ > dropped_) {
      const std::uint64_t length = started_ - dropped_;
      uninterrupted(error, [&] { file_.wait_writeback(dropped_, length, error); });
      if (!error) uninterrupted(error, [&] { file_.advise(os::advice::dont_need, dropped_, length, error); });
      dropped_ = started_;
    }
    started_ = start_of(end);
  }

  bool appends_;
  std::size_t waiting_ = 0;  // bytes since the last write_back()
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

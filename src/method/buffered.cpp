// The methods that use the page cache: plain, with pages written and dropped by the kernel, and with pages written and
// dropped by the method itself.
#include <algorithm>
#include <utility>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"
#include "src/method/write_behind.hpp"

namespace freshet::detail {
namespace {

class buffered : public method {
 public:
  buffered(os::file& target, const method_setup& setup, write_function write_once, bool may_fall_back = false)
      : file_{target},
        completed_{setup.start},
        write_once_{write_once},
        may_fall_back_{may_fall_back},
        piece_{setup.piece} {}

  block exchange(full_block full, std::error_code& error) noexcept override {
    static_cast<void>(write_unbuffered(full.bytes(), full.offset, error));
    return std::move(full.memory);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    error.clear();
    while (!bytes.empty() && !error) {
      const std::size_t written = write_piece(next_piece(bytes, offset, piece_), offset, error);
      bytes = bytes.subspan(written);
      offset += written;
    }
    return true;
  }

  void append(std::span<const std::byte> unwritten, std::span<const std::byte> piece,
              std::error_code& error) noexcept override {
    note_written(append_all(file_, unwritten, piece, error), error);
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 protected:
  virtual void note_written(std::size_t bytes, std::error_code&) noexcept { completed_ += bytes; }

  os::file& file_;
  std::uint64_t completed_;

 private:
  std::size_t write_piece(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
    std::size_t written = write_all(file_, bytes, offset, write_once_, error);
    if (written == 0 && is_refusal(error) && std::exchange(may_fall_back_, false)) {
      write_once_ = pwrite_once;
      written = write_all(file_, bytes, offset, write_once_, error);
    }
    note_written(written, error);
    return written;
  }

  write_function write_once_;
  bool may_fall_back_;  // to pwrite(), where the kernel cannot write as asked
  std::size_t piece_;
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
      : buffered{target, in_ranges(setup), write_of(setup), setup.drop},
        appends_{setup.append},
        may_give_up_{!setup.strict && !setup.drop},
        pages_{target, setup.append ? setup.start : setup.origin, write_behind::when_full::wait} {}

 private:
  // The kernel then drops most pages itself when they are written. That alone bounds nothing: it does not wait.
  static write_function write_of(const method_setup& setup) noexcept {
    return setup.append ? append_once : setup.drop ? pwrite_dontcache_once : pwrite_once;
  }

  // No call leaves more in the page cache than one range. But an append is atomic in one call only.
  static method_setup in_ranges(method_setup setup) noexcept {
    if (!setup.append) setup.piece = std::min<std::size_t>(setup.piece, write_behind::range);
    return setup;
  }

  void note_written(std::size_t bytes, std::error_code& error) noexcept override {
    completed_ += bytes;
    pages_.count(bytes);
    if (error || has_given_up_ || !pages_.is_due()) return;
    std::uint64_t end = completed_;
    if (appends_) uninterrupted(error, [&] { end = file_.position(error); });
    if (!error) pages_.follow(end, 0, error);
    has_given_up_ = may_give_up_ && is_refusal(error);
    if (has_given_up_) error.clear();
  }

  bool appends_;
  bool may_give_up_;           // nobody named the method, or a bound that it keeps
  bool has_given_up_ = false;  // the pages stay, because the system refuses to write and drop them
  write_behind pages_;
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

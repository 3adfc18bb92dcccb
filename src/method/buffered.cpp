// The ways through the page cache: plain, with its pages dropped by the kernel, and with them written and dropped by
// us.
#include <algorithm>

#include "src/method/methods.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class buffered : public method {
 public:
  buffered(os::file& target, const method_setup& setup, write_attempt attempt)
      : file_{target}, attempt_{attempt}, completed_{setup.start} {}

  block exchange(full_block full, std::error_code& error) override {
    static_cast<void>(write_through(full.bytes(), full.offset, error));
    return std::move(full.memory);
  }

  bool write_through(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    completed_ += write_all(file_, bytes, offset, attempt_, error);
    return true;
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 protected:
  os::file& file_;
  write_attempt attempt_;
  std::uint64_t completed_;
};

class dontcache final : public buffered {
 public:
  dontcache(os::file& target, const method_setup& setup)
      : buffered{target, setup, attempt_dontcache}, strict_{setup.strict} {}

  bool write_through(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    const std::uint64_t before = completed_;
    buffered::write_through(bytes, offset, error);
    if (!strict_ && error == std::errc::operation_not_supported && completed_ == before) {
      attempt_ = attempt_at;
      buffered::write_through(bytes, offset, error);
    }
    return true;
  }

 private:
  bool strict_;
};

class writebehind final : public buffered {
 public:
  writebehind(os::file& target, const method_setup& setup)
      : buffered{target, setup, attempt_at}, started_{completed_}, dropped_{completed_} {}

  bool write_through(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) override {
    while (!bytes.empty() && !error) {
      const auto piece = bytes.first(std::min(bytes.size(), window));
      buffered::write_through(piece, offset, error);
      bytes = bytes.subspan(piece.size());
      offset += piece.size();
      if (!error && completed_ - started_ >= window) push(error);
    }
    return true;
  }

 private:
  // Two windows behind the cursor the device has been given enough time: waiting there stalls nothing, and keeps dirty
  // pages from piling up until the kernel throttles.
  static constexpr std::size_t window = std::size_t{8} << 20;

  void push(std::error_code& error) {
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
  return std::make_unique<buffered>(target, setup, setup.append ? attempt_append : attempt_at);
}

std::unique_ptr<method> make_dontcache(os::file& target, const method_setup& setup) {
  return std::make_unique<dontcache>(target, setup);
}

std::unique_ptr<method> make_writebehind(os::file& target, const method_setup& setup) {
  return std::make_unique<writebehind>(target, setup);
}

}  // namespace freshet::detail

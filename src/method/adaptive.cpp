// Writes through the page cache, gives the pages back behind the cursor while that is faster, and goes past the page
// cache where the device is faster still. When, decides write_rule.hpp; how, write_behind.hpp and the direct methods.
#include "src/method/adaptive.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "src/method/methods.hpp"
#include "src/method/registry.hpp"
#include "src/method/steady_seconds.hpp"
#include "src/method/transfer.hpp"
#include "src/method/write_behind.hpp"
#include "src/method/write_rule.hpp"
#include "src/os/thread.hpp"

namespace freshet::detail {
namespace {

class adaptive final : public method {
 public:
  adaptive(os::file& target, const method_setup& setup)
      : file_{target}, setup_{setup}, pages_{target, setup.origin, write_behind::when_full::go_on}, end_{setup.start} {
    // There is nothing to choose where the system alone decides when the page cache is written.
    if (!os::has_writeback_control()) return;
    // Bytes that are to be on the device in the end are sent there at once.
    if (setup.durability == durability::none)
      rule_.emplace(begin_, write_behind::usual_cost);
    else if (!os::is_in_memory(target))
      mode_ = wanted_ = write_mode::behind;
  }

  block exchange(full_block full, std::error_code& error) noexcept override {
    has_own_blocks_ = true;
    if (!direct_) {
      write(full.bytes(), full.offset, error);
      return error || wanted_ != write_mode::direct ? std::move(full.memory)
                                                    : begin_direct(std::move(full.memory), error);
    }
    const double begin = steady_seconds();
    const std::size_t length = full.bytes().size();
    block next = direct_->exchange(std::move(full), error);
    if (!error) count(length, begin);
    return error || wanted_ == write_mode::direct ? std::move(next) : end_direct(std::move(next), error);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    if (!direct_) {
      has_own_blocks_ = false;
      write(bytes, offset, error);
      if (wanted_ == write_mode::direct) abandon_direct(true);
      return true;
    }
    const double begin = steady_seconds();
    if (!direct_->write_unbuffered(bytes, offset, error)) return false;
    if (!error) count(bytes.size(), begin);
    return true;
  }

  void drain(std::error_code& error) noexcept override {
    error.clear();
    if (direct_) direct_->drain(error);
  }

  [[nodiscard]] std::uint64_t completed() const noexcept override { return direct_ ? direct_->completed() : end_; }
  [[nodiscard]] std::uint64_t largest_end() const noexcept override { return direct_ ? direct_->largest_end() : end_; }
  [[nodiscard]] std::string_view fallen_back_to() const noexcept override { return at_work()->name; }
  [[nodiscard]] const method_entry* at_work() const noexcept override { return entry_of(mode_); }
  [[nodiscard]] const change_log* changes() const noexcept override { return &changes_; }

 private:
  static constexpr double forced_wait = 10;  // seconds, where nothing was measured
  // Seconds. A call that takes longer has waited: for memory, for the device, or for others to leave the processor,
  // which says nothing about the way in use.
  static constexpr double longest_alone = 0.001;

  // Asked after each block, so the names are looked up once.
  [[nodiscard]] const method_entry* entry_of(write_mode mode) const noexcept {
    static const std::array cached{find_method("buffered"), find_method("writebehind")};
    return mode == write_mode::direct ? *direct_entry_ : cached.at(static_cast<std::size_t>(mode));
  }

  void write(std::span<const std::byte> bytes, std::uint64_t offset, std::error_code& error) noexcept {
    error.clear();
    while (!bytes.empty() && !error) {
      const double begin = steady_seconds();
      const auto piece = next_piece(bytes, offset, setup_.piece);
      if (mode_ == write_mode::behind && pages_.is_due()) pages_.follow(offset, begin, error);
      const std::size_t written = error ? 0 : write_all(file_, piece, offset, pwrite_once, error);
      if (!error && pages_.is_busy()) pages_.watch(steady_seconds(), error);
      if (mode_ == write_mode::behind) pages_.count(written);
      count(written, begin);
      bytes = bytes.subspan(written);
      offset += written;
    }
  }

  void count(std::size_t bytes, double begin) noexcept {
    end_ += bytes;
    if (wanted_ != mode_) return;
    const double now = steady_seconds();
    if (const auto forced = force_changes.load(); forced != nullptr) {
      if (forced()) change(next_in_turn(), now, change_reason::forced);
      return;
    }
    if (!rule_) return;
    if (shows_nothing(now - begin)) return rule_->pass(now);
    const write_mode next = rule_->count(bytes, now - begin, now, pages_.unwritten_before(end_));
    if (next != mode_) return change(next, now, rule_->reason());
    if (rule_->begins_sample(now) && may_go_direct()) pages_.begin_sample(end_, now);
    const double seconds = pages_.take_device_seconds();
    if (seconds > 0 && may_go_direct()) rule_->learn_device(seconds);
  }

  // Whether others kept the program from its copy to the page cache. Never twice in a row, so that a busy machine does
  // not hide what stays slow.
  [[nodiscard]] bool shows_nothing(double waited) noexcept {
    if (direct_ || waited <= longest_alone) return ignored_last_ = false;
    const std::uint64_t now = os::interruptions();
    const bool was_interrupted = std::exchange(interruptions_, now) != now;
    return ignored_last_ = was_interrupted && !ignored_last_;
  }

  void change(write_mode next, double now, change_reason why) noexcept {
    // There is nothing behind the page cache of a file that is in memory only.
    if (!is_in_memory_) is_in_memory_ = os::is_in_memory(file_);
    if (*is_in_memory_) return rule_.reset();
    changes_.add({end_, now - begin_, 0, entry_of(mode_)->name, entry_of(next)->name, to_string(why)});
    wanted_ = next;
    if (!direct_ && next != write_mode::direct) mode_ = next;
    if (mode_ == write_mode::behind) pages_.begin();
  }

  [[nodiscard]] write_mode next_in_turn() noexcept {
    if (mode_ == write_mode::keep) return write_mode::behind;
    return mode_ == write_mode::behind && may_go_direct() ? write_mode::direct : write_mode::keep;
  }

  // Direct methods want larger blocks, which do not replace the program's own.
  bool may_go_direct() noexcept {
    if (setup_.block_is_chosen || !has_own_blocks_) return false;
    if (!direct_entry_) direct_entry_ = find_direct();
    return *direct_entry_ != nullptr;
  }

  // What a file system says of itself is not always true.
  [[nodiscard]] const method_entry* find_direct() noexcept try {
    const method_entry* const found = usable_direct_method(file_);
    std::error_code error;
    if (found != nullptr) uninterrupted(error, [&] { file_.set_direct(true, error); });
    if (error || found == nullptr) return nullptr;
    uninterrupted(error, [&] { file_.set_direct(false, error); });
    return error ? nullptr : found;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  // Returns the block to go on with.
  block begin_direct(block memory, std::error_code& error) noexcept {
    const method_entry& entry = **direct_entry_;
    block larger = pool::try_take(std::min(entry.good_block, std::bit_floor(pool::fair_share())));
    const bool is_measured = rule_ && force_changes.load() == nullptr;
    const double most_wait = is_measured ? rule_->most_wait() : forced_wait;
    const bool is_large = larger.size() > memory.size();
    if (is_large && pages_.finish(end_, most_wait, error) && !error) direct_ = try_make(entry);
    if (!direct_) {
      abandon_direct(is_large && !pages_.is_refused());
      return memory;
    }
    mode_ = write_mode::direct;
    usual_block_ = memory.size();
    if (rule_) rule_->direct_begins(steady_seconds());
    return larger;
  }

  void abandon_direct(bool may_retry) noexcept {
    wanted_ = mode_ = write_mode::behind;
    const double now = steady_seconds();
    changes_.add(
        {end_, now - begin_, 0, (*direct_entry_)->name, entry_of(mode_)->name, to_string(change_reason::look_failed)});
    if (rule_) rule_->abandon_direct(may_retry, now);
  }

  [[nodiscard]] std::unique_ptr<method> try_make(const method_entry& entry) const noexcept try {
    method_setup setup = setup_;
    setup.depth = entry.asynchronous ? entry.good_depth : 1;
    setup.strict = false;
    setup.start = end_;
    return entry.make(file_, setup);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  block end_direct(block memory, std::error_code& error) noexcept {
    direct_->drain(error);
    if (!error) uninterrupted(error, [&] { file_.set_direct(false, error); });
    if (error) return memory;
    direct_.reset();
    mode_ = wanted_;
    pages_.skip(end_);
    block usual = pool::try_take(usual_block_);
    return usual ? std::move(usual) : std::move(memory);
  }

  const double begin_ = steady_seconds();
  os::file& file_;
  method_setup setup_;
  std::optional<write_rule> rule_;  // none: the mode stays
  write_mode mode_ = write_mode::keep;
  write_mode wanted_ = write_mode::keep;  // from the next block on
  std::optional<bool> is_in_memory_;      // empty: nobody asked yet
  write_behind pages_;
  std::uint64_t interruptions_ = 0;
  bool ignored_last_ = false;                        // the last call
  std::uint64_t end_;                                // of what was taken
  bool has_own_blocks_ = false;                      // the last bytes came in a block of the library
  std::optional<const method_entry*> direct_entry_;  // empty: nobody looked yet
  std::unique_ptr<method> direct_;                   // while it is used
  std::size_t usual_block_ = 0;                      // bytes: of the blocks before
  change_log changes_;
};

}  // namespace

std::unique_ptr<method> make_adaptive(os::file& target, const method_setup& setup) {
  if (setup.append) return make_buffered(target, setup);
  return std::make_unique<adaptive>(target, setup);
}

}  // namespace freshet::detail

// Begins by one of two ways, through the page cache or past it, and changes to the other one when that is faster. The
// decisions are in switching.hpp; this moves the blocks, reads the clock and keeps the promises at each change.
#include "src/method/adaptive.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "src/method/device_speeds.hpp"
#include "src/method/methods.hpp"
#include "src/method/registry.hpp"
#include "src/method/steady_seconds.hpp"
#include "src/method/switching.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

way way_of(const method_entry& entry) noexcept { return entry.direct ? way::direct : way::cached; }

class adaptive final : public method {
 public:
  adaptive(os::file& target, const method_setup& setup)
      : file_{target},
        setup_{setup},
        device_{shared_device::find(setup.device)},
        entry_{setup.first != nullptr ? setup.first : find_method("buffered")},
        inner_{entry_->make(target, setup_for(*entry_, setup.start))},
        wanted_block_{setup.block},
        policy_{
            {.first = way_of(*entry_), .durability = setup.durability, .expected = setup.expected, .begin = begin_}},
        counted_{setup.start} {}
  adaptive(const adaptive&) = delete;
  adaptive& operator=(const adaptive&) = delete;

  ~adaptive() override {
    if (device_ == nullptr) return;
    device_->end_exploring(this);
    if (counted_ - setup_.start >= worth_exploring) device_->keep_way(way_of(*entry_));
  }

  block exchange(full_block full, std::error_code& error) noexcept override {
    const double begin = steady_seconds();
    block next = inner_->exchange(std::move(full), error);
    follow(begin, error);
    return next;
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    const double begin = steady_seconds();
    if (!inner_->write_unbuffered(bytes, offset, error)) return false;
    follow(begin, error);
    return true;
  }

  void drain(std::error_code& error) noexcept override {
    inner_->drain(error);
    if (!error && is_refused()) change_to(*find_method("buffered"), error);
    if (!error) error = failure_;
  }

  [[nodiscard]] std::uint64_t completed() const noexcept override { return inner_->completed(); }
  [[nodiscard]] std::string_view fallen_back_to() const noexcept override {
    const std::string_view inner = inner_->fallen_back_to();
    return inner.empty() ? entry_->name : inner;
  }
  [[nodiscard]] const method_entry* at_work() const noexcept override { return entry_; }
  [[nodiscard]] std::size_t wanted_block() const noexcept override { return wanted_block_; }
  [[nodiscard]] const change_log* changes() const noexcept override { return &changes_; }

 private:
  // Does what follows from the bytes that were just written.
  void follow(double begin, std::error_code& error) noexcept {
    if (error) return;
    is_refused() ? change_to(*find_method("buffered"), error) : count(begin, error);
  }

  // Whether the direct method in use has fallen back to the page cache.
  [[nodiscard]] bool is_refused() const noexcept { return entry_->direct && inner_->fallen_back_to() == "buffered"; }

  // Tells the policy of the bytes written since the last call, for which the program waited since `begin`.
  void count(double begin, std::error_code& error) {
    if (device_ == nullptr) return;
    const std::uint64_t written = inner_->completed();
    const std::uint64_t bytes = written - std::exchange(counted_, written);
    const double now = steady_seconds();
    const writers_at_once writers = device_->count_writers(way_of(*entry_), tenth_, now);
    const bool is_enough = policy_.count(bytes, now - begin);
    if (const auto forced = force_changes.load(); forced != nullptr) {
      if (forced() && policy_.force_change() == step::change) change(error);
    } else if (is_enough) {
      decide(now, writers, error);
    }
  }

  void decide(double now, writers_at_once writers, std::error_code& error) {
    device_speeds speeds = device_->speeds();
    step next = policy_.decide(now, speeds, writers, device_->may_explore(this));
    if (next != step::go_on && is_in_memory()) {
      policy_.give_up();
      next = step::go_on;
    }
    if (next == step::start_writeback) next = start_writeback(writers);
    if (next == step::count_written) next = policy_.written_back(count_written(), steady_seconds(), speeds, writers);
    if (next == step::start_writeback) start_writeback(writers);
    device_->learn(speeds);
    if (next == step::change) change(error);
    if (!policy_.is_exploring()) device_->end_exploring(this);
  }

  // Has the next part of what the page cache holds written back, to see how fast the device takes it. Returns what to
  // do next.
  step start_writeback(writers_at_once writers) {
    if (find_direct() == nullptr || !device_->begin_exploring(this)) return step::go_on;
    std::error_code error;
    // Parts that the kernel has written by itself show nothing.
    do {
      probed_from_ = std::max(way_from_, probed_to_);
      probed_to_ = std::min(probed_from_ + policy_.most_to_write_back(), counted_);
    } while (probed_to_ < counted_ && count_unwritten(error) < (probed_to_ - probed_from_) / 2 && !error);
    const double begin = steady_seconds();
    uninterrupted(error, [&] { file_.start_writeback(probed_from_, probed_to_ - probed_from_, error); });
    if (error) {  // data that was lost is reported by whatever waits for it
      policy_.give_up();
      return step::go_on;
    }
    // Among many threads, this one might look long after the device has them.
    const bool waits = writers.all >= many_writers;
    if (waits) wait_until_written();
    const bool touches = policy_.is_change_likely() && !std::exchange(has_touched_, true);
    if (touches) touch_block();
    policy_.writeback_started(probed_to_ - probed_from_, counted_ - probed_to_, begin, steady_seconds());
    return waits || touches ? step::count_written : step::go_on;
  }

  // Lets the pool have a block for the direct method whose memory is there. Where memory is slow, that takes as long as
  // the device needs for the bytes that are being written back.
  void touch_block() const {
    const block memory = pool::try_take((*direct_)->good_block);
    for (std::size_t at = 0; at < memory.size(); at += smallest_block) *(memory.data() + at) = std::byte{};
  }

  // Where files are in memory only, each way is the page cache.
  bool is_in_memory() noexcept {
    if (!is_in_memory_) is_in_memory_ = os::is_in_memory(file_);
    return *is_in_memory_;
  }

  // Of the bytes that are being written back, those that are on the device.
  std::uint64_t count_written() {
    std::error_code error;
    const std::uint64_t left = count_unwritten(error);
    // Older kernels do not tell: waiting shows it.
    if (error) wait_until_written();
    return probed_to_ - probed_from_ - left;
  }

  // The kernel tells only once of data that was lost, so it is kept for drain().
  void wait_until_written() {
    std::error_code error;
    uninterrupted(error, [&] { file_.wait_writeback(probed_from_, probed_to_ - probed_from_, error); });
    if (!error) return;
    failure_ = error;
    policy_.give_up();
  }

  std::uint64_t count_unwritten(std::error_code& error) {
    const std::uint64_t all = probed_to_ - probed_from_;
    std::uint64_t left = 0;
    uninterrupted(error, [&] { left = file_.unwritten(probed_from_, all, error); });
    return error ? 0 : std::min(left, all);
  }

  // The direct method to change to; null if there is none here, or no memory to find it.
  const method_entry* find_direct() noexcept try {
    if (!direct_) direct_ = usable_direct_method(file_);
    if (*direct_ == nullptr) policy_.give_up();
    return *direct_;
  } catch (const std::bad_alloc&) {
    policy_.give_up();
    return nullptr;
  }

  // Goes on by the other way. Bytes in flight are in the file before; and before direct writes make the file larger,
  // what the page cache holds is on the device, so that no crash shows a size without its bytes.
  void change(std::error_code& error) {
    const method_entry* const wanted = policy_.now_by() == way::cached ? find_direct() : find_method("buffered");
    if (wanted == nullptr) return;
    if (policy_.reason() == change_reason::look && !device_->begin_exploring(this)) return;
    change_to(*wanted, error);
  }

  void change_to(const method_entry& wanted, std::error_code& error) {
    const double asked = steady_seconds();
    const bool to_direct = wanted.direct;
    inner_->drain(error);
    if (is_refused()) {
      policy_.leave_refused();
      if (device_ != nullptr) device_->end_exploring(this);
      direct_ = nullptr;
    }
    const std::uint64_t end = inner_->completed();
    if (!error && to_direct && setup_.durability != durability::each_write)
      uninterrupted(error, [&] { file_.wait_writeback(way_from_, end - way_from_, error); });
    if (!error && !to_direct) uninterrupted(error, [&] { file_.set_direct(false, error); });
    if (error) {
      failure_ = error;
      return;
    }
    try {
      inner_ = wanted.make(file_, setup_for(wanted, end));
    } catch (const std::bad_alloc&) {
      return policy_.give_up();
    }
    const double now = steady_seconds();
    changes_.add({end, now - begin_, now - asked, entry_->name, wanted.name, to_string(policy_.reason())});
    entry_ = &wanted;
    if (wanted_block_ != 0) wanted_block_ = entry_ == setup_.first ? setup_.block : entry_->good_block;
    counted_ = end;
    way_from_ = end;
    policy_.changed(asked, now);
  }

  [[nodiscard]] method_setup setup_for(const method_entry& wanted, std::uint64_t start) const {
    method_setup setup = setup_;
    setup.strict = false;
    setup.start = start;
    if (&wanted != setup_.first) setup.depth = wanted.asynchronous ? wanted.good_depth : 1;
    return setup;
  }

  const double begin_ = steady_seconds();
  os::file& file_;
  method_setup setup_;
  shared_device* device_;
  const method_entry* entry_;
  std::unique_ptr<method> inner_;
  std::size_t wanted_block_;  // 0: the user named one
  switching policy_;
  std::optional<const method_entry*> direct_;  // empty: nobody looked yet
  bool has_touched_ = false;                   // memory for that
  std::optional<bool> is_in_memory_;           // empty: nobody asked yet
  std::uint64_t counted_;                      // bytes up to here were told to the policy
  std::uint64_t way_from_ = 0;                 // the way in use was used from here on
  std::uint64_t probed_from_ = 0;
  std::uint64_t probed_to_ = 0;  // the bytes up to here are being written back, or are written
  std::uint64_t tenth_ = 0;      // of a second in which this file was last counted as writing
  std::error_code failure_;
  change_log changes_;
};

}  // namespace

std::unique_ptr<method> make_adaptive(os::file& target, const method_setup& setup) {
  return std::make_unique<adaptive>(target, setup);
}

}  // namespace freshet::detail

// Writes through the page cache, gives the pages back behind the cursor while that is faster, and goes past the page
// cache where the device is faster still. When, decides way_rule.hpp; how, write_behind.hpp and the direct methods.
#include "src/method/adaptive.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "src/method/methods.hpp"
#include "src/method/prior.hpp"
#include "src/method/registry.hpp"
#include "src/method/steady_seconds.hpp"
#include "src/method/transfer.hpp"
#include "src/method/way_rule.hpp"
#include "src/method/write_behind.hpp"

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
      rule_.emplace(way_rule::setup{.begin = begin_, .usual_cost = write_behind::usual_cost});
    else if (!os::is_in_memory(target))
      in_use_ = wanted_ = way::behind;
  }
  ~adaptive() override {
    if (prior_.place && !has_failed_) leave_ways(*prior_.place, figures());
  }

  block exchange(full_block full, std::error_code& error) noexcept override {
    has_own_blocks_ = true;
    error.clear();
    const bool is_after_wait = wanted_ == way::past && !direct_;
    if (is_after_wait) begin_past(error);
    has_failed_ = has_failed_ || error;
    if (error) return std::move(full.memory);
    exchange_timer own;
    exchange_timer& timer = full.timer != nullptr ? *full.timer : own;
    if (!direct_) {
      write(full.bytes(), full.offset, timer, error);
      return wanted_ == way::past ? larger(std::move(full.memory)) : usual(std::move(full.memory));
    }
    const std::size_t length = full.bytes().size();
    const double begin = is_after_wait ? steady_seconds() : timer.begin();
    block next = direct_->exchange(std::move(full), error);
    count(length, begin, timer.end(), error);
    return error || wanted_ == way::past ? std::move(next) : end_past(std::move(next), error);
  }

  bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) noexcept override {
    exchange_timer timer;
    if (direct_) {
      const double begin = timer.begin();
      if (!direct_->write_unbuffered(bytes, offset, error)) return false;
      count(bytes.size(), begin, timer.end(), error);
      return true;
    }
    has_own_blocks_ = false;
    write(bytes, offset, timer, error);
    if (wanted_ == way::past) abandon_past(true);
    return true;
  }

  void drain(std::error_code& error) noexcept override {
    error.clear();
    if (direct_) direct_->drain(error);
  }

  [[nodiscard]] std::uint64_t completed() const noexcept override { return direct_ ? direct_->completed() : end_; }
  [[nodiscard]] std::uint64_t largest_end() const noexcept override { return direct_ ? direct_->largest_end() : end_; }
  [[nodiscard]] std::string_view fallen_back_to() const noexcept override { return at_work()->name; }
  [[nodiscard]] const method_entry* at_work() const noexcept override {
    return entry_of(wanted_ == way::past ? wanted_ : in_use_);
  }
  [[nodiscard]] const change_log* changes() const noexcept override { return &changes_; }

 private:
  // Bytes. Smaller files make the same calls whatever is known.
  static constexpr std::uint64_t knows_from = std::uint64_t{4} << 20;
  static constexpr double forced_wait = 10;  // seconds, where nothing was measured

  [[nodiscard]] const method_entry* entry_of(way one) const noexcept {
    if (one == way::past) return *direct_entry_;
    return one == way::behind ? &writebehind_method : &buffered_method;
  }

  // The clock is read once between two pieces.
  void write(std::span<const std::byte> bytes, std::uint64_t offset, exchange_timer& timer,
             std::error_code& error) noexcept {
    error.clear();
    for (double begin = timer.begin(); !bytes.empty() && !error;) {
      const auto piece = next_piece(bytes, offset, setup_.piece);
      if (in_use_ == way::behind && pages_.is_due()) pages_.follow(offset, begin, error);
      const std::size_t written = error ? 0 : write_all(file_, piece, offset, pwrite_once, error);
      if (!error && pages_.is_busy()) pages_.watch(steady_seconds(), error);
      if (in_use_ == way::behind) pages_.count(written);
      bytes = bytes.subspan(written);
      offset += written;
      const double end = bytes.empty() ? timer.end() : steady_seconds();
      count(written, begin, end, error);
      begin = end;
    }
  }

  void count(std::size_t bytes, double begin, double now, std::error_code error) noexcept {
    end_ += bytes;
    has_failed_ = has_failed_ || error;
    if (has_failed_ || wanted_ != in_use_) return;
    if (const auto forced = force_changes.load(); forced != nullptr) {
      if (forced()) change(next_in_turn(), now, change_reason::forced);
      return;
    }
    way next = rule_ ? rule_->count(bytes, now - begin, now, pages_.unwritten_before(end_)) : in_use_;
    if (next == in_use_ && asks_ && end_ - setup_.start >= knows_from) next = begin_with_what_is_known();
    if (next != in_use_) return change(next, now, rule_ ? rule_->reason() : change_reason::known_faster);
    const double seconds = rule_ ? pages_.take_device_seconds() : 0;
    if (seconds > 0 && may_go_past()) rule_->learn_device(seconds);
  }

  // Returns how to go on.
  [[nodiscard]] way begin_with_what_is_known() noexcept {
    asks_ = false;
    prior_ = find_prior(file_, setup_.prior, rule_ ? file_kind::written : file_kind::durable);
    measured_ways known = prior_.ways;
    if (known.past.seconds_per_byte > 0 && !may_go_past()) known.past = {};
    if (known == measured_ways{}) return in_use_;
    const std::string_view name = entry_of(way::kept)->name;
    changes_.add({0, 0, 0, name, name, to_string(prior_.source)});
    if (rule_) return rule_->know(known);
    const bool is_past_faster = known.past.seconds_per_byte > 0 &&
                                known.behind.seconds_per_byte >= way_rule::least_gain * known.past.seconds_per_byte;
    return is_past_faster ? way::past : way::behind;
  }

  [[nodiscard]] measured_ways figures() const noexcept {
    if (rule_) return rule_->figures();
    measured_ways ways;
    const std::uint64_t bytes = end_ - setup_.start;
    figure_of(ways, in_use_) = {(steady_seconds() - begin_) / static_cast<double>(bytes), 0, bytes};
    return ways;
  }

  void change(way next, double now, change_reason why) noexcept {
    // There is nothing behind the page cache of a file that is in memory only.
    if (!is_in_memory_) is_in_memory_ = os::is_in_memory(file_);
    if (*is_in_memory_) return rule_.reset();
    changes_.add({end_, now - begin_, 0, entry_of(in_use_)->name, entry_of(next)->name, to_string(why)});
    wanted_ = next;
    if (!direct_ && next != way::past) in_use_ = next;
    if (in_use_ == way::behind) pages_.begin();
    if (next == way::past) pages_.send(end_);
  }

  [[nodiscard]] way next_in_turn() noexcept {
    if (in_use_ == way::kept) return way::behind;
    return in_use_ == way::behind && may_go_past() ? way::past : way::kept;
  }

  // Direct methods want larger blocks, which do not replace the program's own.
  bool may_go_past() noexcept {
    if (setup_.block_is_chosen || !has_own_blocks_) return false;
    if (!direct_entry_) direct_entry_ = find_direct();
    return *direct_entry_ != nullptr;
  }

  // What a file system says of itself is not always true.
  [[nodiscard]] const method_entry* find_direct() const noexcept try {
    const method_entry* const found = usable_direct_method(file_);
    std::error_code error;
    if (found != nullptr) uninterrupted(error, [&] { file_.set_direct(true, error); });
    if (error || found == nullptr) return nullptr;
    uninterrupted(error, [&] { file_.set_direct(false, error); });
    return error ? nullptr : found;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  // The block that direct writes begin with. While the program fills it, the device gets what it lacks.
  [[nodiscard]] block larger(block memory) noexcept {
    const std::size_t good =
        setup_.prior.profiled.block != 0 ? setup_.prior.profiled.block : (*direct_entry_)->good_block;
    if (good <= memory.size()) return memory;
    block taken = pool::try_take(std::min(good, std::bit_floor(pool::fair_share())));
    if (taken.size() <= memory.size()) {
      abandon_past(false);
      return memory;
    }
    usual_block_ = memory.size();
    return taken;
  }
  [[nodiscard]] block usual(block memory) noexcept {
    const std::size_t size = std::exchange(usual_block_, 0);
    if (size == 0) return memory;
    block taken = pool::try_take(size);
    return taken ? std::move(taken) : std::move(memory);
  }

  // Waits until the device has everything before.
  void begin_past(std::error_code& error) noexcept {
    const double begin = steady_seconds();
    const bool is_measured = rule_ && force_changes.load() == nullptr;
    const double most_wait = is_measured ? rule_->most_wait() : forced_wait;
    if (pages_.finish(end_, most_wait, error) && !error) direct_ = try_make(**direct_entry_);
    if (!direct_) return abandon_past(!pages_.is_refused());
    in_use_ = way::past;
    const double now = steady_seconds();
    if (rule_) rule_->past_begins(now - begin, now);
  }

  void abandon_past(bool may_retry) noexcept {
    wanted_ = in_use_ = way::behind;
    const double now = steady_seconds();
    changes_.add({end_, now - begin_, 0, (*direct_entry_)->name, entry_of(in_use_)->name,
                  to_string(change_reason::probe_failed)});
    if (rule_) rule_->abandon_past(may_retry, now);
  }

  [[nodiscard]] std::unique_ptr<method> try_make(const method_entry& entry) const noexcept try {
    method_setup setup = setup_;
    setup.depth = !entry.asynchronous                ? 1
                  : setup_.prior.profiled.depth != 0 ? setup_.prior.profiled.depth
                                                     : entry.good_depth;
    setup.strict = false;
    setup.start = end_;
    return entry.make(file_, setup);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  block end_past(block memory, std::error_code& error) noexcept {
    direct_->drain(error);
    if (!error) uninterrupted(error, [&] { file_.set_direct(false, error); });
    if (error) return memory;
    direct_.reset();
    in_use_ = wanted_;
    pages_.skip(end_);
    return usual(std::move(memory));
  }

  const double begin_ = steady_seconds();
  os::file& file_;
  method_setup setup_;
  std::optional<way_rule> rule_;  // none: the way stays
  way in_use_ = way::kept;
  way wanted_ = way::kept;  // from the next block on
  bool asks_ = true;        // what is known, once the file is large enough
  prior prior_;
  std::optional<bool> is_in_memory_;  // empty: nobody asked yet
  write_behind pages_;
  bool has_failed_ = false;
  std::uint64_t end_;                                // of what was taken
  bool has_own_blocks_ = false;                      // the last bytes came in a block of the library
  std::optional<const method_entry*> direct_entry_;  // empty: nobody looked yet
  std::unique_ptr<method> direct_;                   // while it is used
  std::size_t usual_block_ = 0;                      // bytes: of the blocks before; 0: those in use
  change_log changes_;
};

}  // namespace

std::unique_ptr<method> make_adaptive(os::file& target, const method_setup& setup) {
  if (setup.append) return make_buffered(target, setup);
  return std::make_unique<adaptive>(target, setup);
}

}  // namespace freshet::detail

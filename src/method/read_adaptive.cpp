// Reads through the page cache what it holds, and the rest by one of two ways, through the page cache or past it,
// whichever is faster. The decisions are in way_rule.hpp; this asks where the bytes are, moves them and reads the
// clock.
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "src/method/adaptive.hpp"
#include "src/method/prior.hpp"
#include "src/method/read_method.hpp"
#include "src/method/registry.hpp"
#include "src/method/residency_map.hpp"
#include "src/method/steady_seconds.hpp"
#include "src/method/transfer.hpp"
#include "src/method/way_rule.hpp"

namespace freshet::detail {
namespace {

way other_way(way one) noexcept { return one == way::kept ? way::past : way::kept; }

way way_of(const read_choice& choice) noexcept {
  return choice.entry != nullptr && choice.entry->direct ? way::past : way::kept;
}

class adaptive_reading final : public read_method {
 public:
  adaptive_reading(os::file& source, const read_setup& setup)
      : file_{source},
        setup_{setup},
        adapts_{setup.size >= worth_adapting},
        map_{source, setup.size},
        cached_{cached_entry_->make_reading(source, setup_for(*cached_entry_))} {
    if (!adapts_) return;
    rule_.emplace(way_rule::setup{.begin = begin_, .first = for_absent_, .probed = way::past, .size = setup.size});
    begin_with_what_is_known();
  }
  ~adaptive_reading() override {
    if (prior_.place && rule_) leave_ways(*prior_.place, rule_->figures());
  }

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept override {
    const double begin = steady_seconds();
    const auto bytes = prepare(offset).read(offset, error);
    count(bytes.size(), begin);
    return bytes;
  }

  std::optional<std::size_t> read_unbuffered(std::span<std::byte> into, std::uint64_t offset,
                                             std::error_code& error) noexcept override {
    const double begin = steady_seconds();
    read_method& inner = prepare(offset);
    const auto most = std::min<std::uint64_t>({into.size(), run_.end - offset, most_at_once});
    const auto length = inner.read_unbuffered(into.first(static_cast<std::size_t>(most)), offset, error);
    if (length) count(*length, begin);
    return length;
  }

  // Until it is lifted, the few bytes that are wanted after a seek come through the page cache: asking where they are
  // costs more than reading them.
  void limit(std::uint64_t end) noexcept override { end_ = end; }

  void forget() noexcept override {
    cached_->forget();
    if (direct_) direct_->forget();
  }

  [[nodiscard]] std::string_view fallen_back_to() const noexcept override {
    const std::string_view inner = (at_work_by() == way::past ? direct_ : cached_)->fallen_back_to();
    return inner.empty() ? at_work()->name : inner;
  }
  [[nodiscard]] const method_entry* at_work() const noexcept override {
    return at_work_by() == way::past ? direct_entry_ : cached_entry_;
  }
  [[nodiscard]] const change_log* changes() const noexcept override { return &changes_; }

 private:
  // Bytes that are read without a copy between two chances to change the method.
  static constexpr std::uint64_t most_at_once = std::uint64_t{4} << 20;
  // Twice as large, two blocks were slower on every disk that was measured.
  static constexpr std::size_t largest_direct_block = std::size_t{2} << 20;

  [[nodiscard]] bool is_limited() const noexcept { return end_ != endless; }
  [[nodiscard]] way at_work_by() const noexcept { return is_limited() ? way::kept : in_use_; }

  void begin_with_what_is_known() noexcept {
    prior_ = find_prior(file_, setup_.prior, file_kind::read);
    if (prior_.ways == measured_ways{}) return;
    const std::string_view name = cached_entry_->name;
    changes_.add({0, 0, 0, name, name, to_string(prior_.source)});
    for_absent_ = rule_->know(prior_.ways);
  }

  // Finds out where the bytes from `offset` on are; returns the method that reads them.
  read_method& prepare(std::uint64_t offset) {
    if (is_limited()) {
      run_ = {end_, residence::unknown};
      cached_->limit(end_);
      return *cached_;
    }
    if (force_changes.load() != nullptr) {
      run_ = {endless, residence::unknown};
      return use(forced_, change_reason::forced, offset);
    }
    // What a file grows by is read as its end was.
    if (offset >= setup_.size && adapts_) {
      run_ = {endless, residence::unknown};
      return use(in_use_, change_reason::not_in_cache, offset);
    }
    run_ = adapts_ ? map_.at(offset) : residency_map::run{endless, residence::unknown};
    if (run_.where == residence::cached) return use(way_of(setup_.warm), change_reason::in_cache, offset);
    if (run_.where == residence::unknown) return use(way_of(setup_.cold), change_reason::not_in_cache, offset);
    return use(for_absent_, std::exchange(reason_, change_reason::not_in_cache), offset);
  }

  read_method& use(way wanted, change_reason why, std::uint64_t offset) {
    if (wanted != in_use_) {
      const double asked = steady_seconds();
      if (wanted == way::past && !make_direct()) {
        rule_.reset();
        wanted = for_absent_ = way::kept;
      }
      const method_entry* const before = at_work();
      if (std::exchange(in_use_, wanted) != wanted && started_)
        changes_.add({offset, asked - begin_, steady_seconds() - asked, before->name, at_work()->name, to_string(why)});
    }
    read_method& inner = in_use_ == way::past ? *direct_ : *cached_;
    inner.limit(run_.end);
    return inner;
  }

  // Returns false if nothing reads past the page cache here.
  bool make_direct() noexcept try {
    if (direct_ || is_direct_refused_) return direct_ != nullptr;
    is_direct_refused_ = true;
    direct_entry_ = find_direct();
    std::error_code error;
    if (direct_entry_->direct) uninterrupted(error, [&] { file_.set_direct(true, error); });
    if (error || !direct_entry_->direct) return false;
    direct_ = direct_entry_->make_reading(file_, setup_for(*direct_entry_));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  // Where none works, the one that always does.
  [[nodiscard]] const method_entry* find_direct() const {
    for (const read_choice& each : {setup_.cold, setup_.warm})
      if (way_of(each) == way::past) return &usable_reading_method(*each.entry, file_);
    return &usable_reading_method(*direct_methods().front(), file_);
  }

  // The user's sizes, or the profile's, or those that are fast almost everywhere.
  [[nodiscard]] read_setup setup_for(const method_entry& wanted) const noexcept {
    read_choice choice;
    for (const read_choice& each : {setup_.warm, setup_.cold})
      if (each.entry != nullptr && each.entry->direct == wanted.direct) choice = each;
    const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
    const unsigned depth = first_set(setup_.depth, choice.depth, wanted.good_depth);
    return {.block = first_set(setup_.block, choice.block, std::min(wanted.good_block, largest_direct_block)),
            .depth = wanted.asynchronous ? depth : 1,
            .strict = false,
            .beside_direct = !wanted.direct};
  }

  // Tells the rule what was read.
  void count(std::size_t bytes, double begin) noexcept {
    if (bytes == 0) return;
    started_ = true;
    if (const auto forced = force_changes.load(); forced != nullptr && forced()) forced_ = other_way(forced_);
    if (!rule_) return;
    const double now = steady_seconds();
    if (run_.where != residence::absent || in_use_ != for_absent_) return rule_->pass(now);
    const way next = rule_->count(bytes, now - begin, now);
    if (std::exchange(for_absent_, next) != next) reason_ = rule_->reason();
  }

  const double begin_ = steady_seconds();
  os::file& file_;
  read_setup setup_;
  bool adapts_;
  residency_map map_;
  residency_map::run run_;
  std::uint64_t end_ = endless;           // set by limit()
  way for_absent_ = way_of(setup_.cold);  // for what the page cache does not hold
  std::optional<way_rule> rule_;          // none: that stays
  prior prior_;
  change_reason reason_ = change_reason::not_in_cache;  // of the next change of for_absent_
  const method_entry* cached_entry_ = &buffered_method;
  const method_entry* direct_entry_ = nullptr;  // null: nobody looked yet
  std::unique_ptr<read_method> cached_;
  std::unique_ptr<read_method> direct_;  // null until it is needed
  way in_use_ = way::kept;
  way forced_ = way::kept;
  bool is_direct_refused_ = false;  // once, and not asked again
  bool started_ = false;
  change_log changes_;
};

}  // namespace

std::unique_ptr<read_method> make_adaptive_reading(os::file& target, const read_setup& setup) {
  return std::make_unique<adaptive_reading>(target, setup);
}

}  // namespace freshet::detail

#include "src/source/read_plan.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "src/base/refusal.hpp"
#include "src/method/transfer.hpp"
#include "src/profile/profile_lookup.hpp"

namespace freshet::detail {
namespace {

constexpr std::size_t random_block = std::size_t{16} << 10;

const method_entry& named_method(const native_string& path, std::string_view name) {
  const auto* entry = find_method(name);
  if (entry == nullptr)
    refuse(path, std::errc::invalid_argument,
           "no method '" + std::string{name} + "'; the methods that read are: " + reading_method_names());
  if (entry->make_reading == nullptr)
    refuse(path, std::errc::invalid_argument,
           std::string{name} + " does not read; the methods that read are: " + reading_method_names());
  return *entry;
}

// A method that the profile names, or what replaces it here; none if it names none, or leaves it to `adaptive`.
read_choice choice_of(const std::optional<read_settings>& settings, const os::file& source) {
  const method_entry* const winner = settings ? find_method(settings->method) : nullptr;
  if (winner == nullptr || winner->make_reading == nullptr || !winner->reads_unasked || winner->changes) return {};
  return {&usable_reading_method(*winner, source), settings->block, settings->depth};
}

// Looks at the file's beginning only.
bool is_mostly_cached(const os::file& source) {
  constexpr std::uint64_t beginning = std::uint64_t{16} << 20;
  std::error_code error;
  os::residency residency;
  uninterrupted(error, [&] { residency = source.cached(error, beginning); });
  return !error && residency.cached * 2 >= residency.pages;
}

}  // namespace

read_plan::read_plan(const native_string& path, const reader_options& options, std::size_t largest_piece)
    : entry{options.method != "auto" ? &named_method(path, options.method) : &buffered_method},
      options_{options},
      largest_piece_{largest_piece},
      strict_{options.method != "auto" || options.caching != caching::automatic} {}

bool read_plan::needs_status() const noexcept { return entry != &buffered_method || options_.caching > caching::keep; }

// Whether a method works here is known once the file is open. Files without offsets are read by "buffered".
void read_plan::choose(const native_string& path, const os::file& source,
                       const std::optional<os::file_status>& status) {
  const bool is_regular = status && status->kind == os::file_kind::regular;
  const bool is_direct = options_.caching == caching::bypass;
  if (options_.caching == caching::drop)
    if (const auto reason = why_not_dropping(source); !reason.empty())
      refuse(path, std::errc::operation_not_supported, "the file cannot leave the page cache: " + reason);
  if ((is_direct || entry != &buffered_method) && status->kind == os::file_kind::directory)
    refuse(path, std::errc::is_a_directory, {});
  if (is_direct && !is_regular)
    refuse(path, std::errc::operation_not_supported, "only regular files can bypass the page cache");
  if (is_direct) entry = &usable_reading_method(*direct_methods().front(), source);
  if (is_direct && !entry->direct)
    refuse(path, std::errc::operation_not_supported,
           "the file cannot bypass the page cache: " + direct_method.why_not(source));
  if (!is_regular) entry = &buffered_method;
  if (const auto reason = why_not_reading(*entry, source); !reason.empty())
    refuse(path, std::errc::operation_not_supported, std::string{entry->name} + " is not available here: " + reason);
  choose_sizes(0, 0);
}

void read_plan::choose_buffered() noexcept {
  entry = &buffered_method;
  strict_ = true;
  if (block == 0) choose_sizes(0, 0);
}

void read_plan::choose_in_order() noexcept {
  in_order_ = true;
  choose_sizes(0, 0);
}

std::unique_ptr<read_method> read_plan::make_method(os::file& source, const os::file_status& status, read_setup setup) {
  const bool is_regular = status.kind == os::file_kind::regular;
  if (!strict_ && options_.access != access::random && is_regular) choose_by_profile(source, status.device, setup);
  setup.strict = strict_;
  // `adaptive` chooses the sizes that the user does not name.
  setup.block = entry->changes && options_.rate_limit == 0 ? options_.block : block;
  setup.depth = entry->changes ? options_.depth : entry->asynchronous ? depth_ : 1;
  const bool drops = options_.caching == caching::drop && is_regular;
  return drops ? make_dropping_reading(source, setup) : entry->make_reading(source, setup);
}

void read_plan::choose_by_profile(const os::file& source, std::uint64_t device, read_setup& setup) {
  const auto profiled = profiled_reading(source, device);
  const bool is_fixed = (profiled.cold && profiled.cold->fixed) || (profiled.warm && profiled.warm->fixed);
  if (setup.size >= worth_adapting && !is_fixed) {
    entry = &adaptive_method;
    if (options_.prior && are_priors_wanted())
      setup.prior = {
          .is_wanted = true, .device = device, .profiled = profiled.cold ? profiled.cold->measured : measured_ways{}};
    setup.cold = choice_of(profiled.cold, source);
    setup.warm = choice_of(profiled.warm, source);
    return;
  }
  const auto& settings = profiled.cold == profiled.warm || !is_mostly_cached(source) ? profiled.cold : profiled.warm;
  if (!settings) return;
  if (const read_choice choice = choice_of(settings, source); choice.entry != nullptr) entry = choice.entry;
  choose_sizes(settings->block, settings->depth);
  // Blocks larger than the file would take memory that is never used.
  block = std::min(block, std::max(small_file, static_cast<std::size_t>(std::bit_ceil(setup.size))));
  depth_ = static_cast<unsigned>(std::min<std::uint64_t>(depth_, setup.size / block + 1));
}

void read_plan::choose_sizes(std::size_t profiled_block, unsigned profiled_depth) noexcept {
  const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
  const bool is_named = options_.method != "auto";
  // A device may wait until it has all bytes that a read asks for: no more than a program wants, or std's streams ask
  // for.
  const std::size_t good_block = in_order_                                        ? first_block
                                 : !is_named && options_.access == access::random ? random_block
                                                                                  : entry->good_block;
  block = std::min(first_set(options_.block, profiled_block, good_block), largest_piece_);
  depth_ = first_set(options_.depth, profiled_depth, entry->good_depth);
}

}  // namespace freshet::detail

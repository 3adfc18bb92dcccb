// What the inline part of freshet's streams calls when it writes numbers.
#include <freshet/detail/insertion.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <ios>
#include <limits>
#include <locale>
#include <system_error>
#include <type_traits>

namespace freshet::detail {
namespace {

// Where each stream keeps its locale_watch. Not a static variable of a function, whose lock the child of a fork could
// inherit; streams with static storage duration may ask for it before other variables have been initialized.
constinit std::atomic<int> known_index{-1};

int index() noexcept {
  int known = known_index.load(std::memory_order_acquire);
  if (known >= 0) return known;
  const int fresh = std::ios_base::xalloc();
  return known_index.compare_exchange_strong(known, fresh, std::memory_order_acq_rel) ? fresh : known;
}

// "00" to "99".
constexpr auto pairs = [] {
  std::array<char, 200> digits{};
  for (std::size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

template <std::unsigned_integral Word>
constexpr auto powers_of_ten = [] {
  std::array<Word, std::numeric_limits<Word>::digits10 + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// 0 has one, as 1 has.
template <std::unsigned_integral Word>
std::ptrdiff_t count_digits(Word value) noexcept {
  value |= 1;  // no power of ten but 1 is odd
  // 1233 / 4096 is about log10(2): the estimate is right or one too small.
  const auto least = static_cast<unsigned>(std::bit_width(value)) * 1233 >> 12;
  return static_cast<std::ptrdiff_t>(least) + static_cast<std::ptrdiff_t>(value >= powers_of_ten<Word>[least]);
}

[[gnu::always_inline]] inline void write_pair(char* at, std::size_t value) noexcept {
  std::memcpy(at, &pairs[value * 2], 2);
}

template <std::unsigned_integral Word>
[[gnu::always_inline]] inline char* write_digits(char* begin, const char* limit, Word value) noexcept {
  const std::ptrdiff_t count = count_digits(value);
  if (limit - begin < count) [[unlikely]]
    return nullptr;
  char* at = begin + count;
  while (value >= 10'000) {
    const auto four = static_cast<unsigned>(value % 10'000);
    value /= 10'000;
    at -= 4;
    write_pair(at, four / 100);
    write_pair(at + 2, four % 100);
  }
  auto rest = static_cast<unsigned>(value);
  if (rest >= 100) {
    write_pair(at - 2, rest % 100);
    rest /= 100;
  }
  if (rest >= 10)
    write_pair(begin, rest);
  else
    *begin = static_cast<char>('0' + rest);
  return begin + count;
}

template <std::integral Integer>
char* write_integer(char* begin, const char* limit, Integer value) noexcept {
  using word = std::make_unsigned_t<Integer>;
  if (value >= 0) return write_digits(begin, limit, static_cast<word>(value));
  if (begin == limit) return nullptr;
  *begin = '-';
  return write_digits(begin + 1, limit, static_cast<word>(word{0} - static_cast<word>(value)));
}

// Above it the fast path gains nothing.
constexpr std::streamsize largest_precision = 1000;

template <std::floating_point Float>
char* write_number(char* begin, char* limit, Float value, std::ios_base::fmtflags flags,
                   std::streamsize precision) noexcept {
  using std::ios_base;
  if ((flags & (ios_base::showpos | ios_base::showpoint | ios_base::uppercase)) != 0) return nullptr;
  if (precision < 0 || precision > largest_precision) return nullptr;
  // NaN, which is not at most infinity, is the stream's: by std::to_chars, libc++ writes it as "-nan(ind)".
  if (!(value <= std::numeric_limits<Float>::infinity())) return nullptr;
  const auto write_as = [=](std::chars_format notation) {
    const auto [end, failure] = std::to_chars(begin, limit, value, notation, static_cast<int>(precision));
    return failure == std::errc{} ? end : nullptr;
  };
  const auto notation = flags & ios_base::floatfield;
  if (notation == ios_base::fmtflags{}) return write_as(std::chars_format::general);
  if (notation == ios_base::fixed) return write_as(std::chars_format::fixed);
  return notation == ios_base::scientific ? write_as(std::chars_format::scientific) : nullptr;
}

}  // namespace

void locale_watch::start(std::ios_base& stream) noexcept try {
  void*& watcher = stream.pword(index());
  if (watcher == nullptr) stream.register_callback(on_event, index());
  watcher = this;
  is_classic_ = stream.getloc() == std::locale::classic();
} catch (...) {  // no memory: use the standard's functions
  is_classic_ = false;
}

void locale_watch::stop(std::ios_base& stream) noexcept { stream.pword(index()) = nullptr; }

void locale_watch::resume(std::ios_base& stream) noexcept {
  if (stream.pword(index()) != this) start(stream);
}

void locale_watch::on_event(std::ios_base::event event, std::ios_base& stream, int at) {
  void*& watcher = stream.pword(at);
  if (watcher == nullptr) return;
  auto& self = *static_cast<locale_watch*>(watcher);
  if (event == std::ios_base::imbue_event)
    self.is_classic_ = stream.getloc() == std::locale::classic();
  else if (event == std::ios_base::erase_event)
    self.is_classic_ = false;
  else
    watcher = nullptr;  // copied with the format of another stream, which it watches
}

char* write_decimal(char* begin, char* limit, int value) noexcept { return write_integer(begin, limit, value); }
char* write_decimal(char* begin, char* limit, unsigned value) noexcept { return write_integer(begin, limit, value); }
char* write_decimal(char* begin, char* limit, long value) noexcept { return write_integer(begin, limit, value); }
char* write_decimal(char* begin, char* limit, unsigned long value) noexcept {
  return write_integer(begin, limit, value);
}
char* write_decimal(char* begin, char* limit, long long value) noexcept { return write_integer(begin, limit, value); }
char* write_decimal(char* begin, char* limit, unsigned long long value) noexcept {
  return write_integer(begin, limit, value);
}

char* write_floating(char* begin, char* limit, float value, std::ios_base::fmtflags flags,
                     std::streamsize precision) noexcept {
  return write_number(begin, limit, value, flags, precision);
}
char* write_floating(char* begin, char* limit, double value, std::ios_base::fmtflags flags,
                     std::streamsize precision) noexcept {
  return write_number(begin, limit, value, flags, precision);
}

}  // namespace freshet::detail

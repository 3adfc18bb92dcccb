#include "lab/bytes/ways.hpp"

#include <array>
#include <numeric>
#include <random>

#include "src/base/pool.hpp"
#include "tool/base/clock.hpp"

namespace freshet::tool {
namespace {

// The pattern fits the processor's second cache. Its length is no power of two, so that no buffer or block equals the
// one before it.
constexpr std::size_t pattern_length = (std::size_t{1} << 16) - 15;

std::array<unsigned char, pattern_length> make_pattern() {
  std::array<unsigned char, pattern_length> pattern{};
  std::mt19937 random;  // the standard defines its numbers
  for (unsigned char& byte : pattern) byte = static_cast<unsigned char>(random() & 0xFF);
  return pattern;
}

std::vector<byte_way> all_ways() {
  std::vector<byte_way> all;
  for (const auto part : {stdio_ways, unlocked_header_ways, std_stream_ways, freshet_ways}) {
    const std::vector<byte_way> some = part();
    all.insert(all.end(), some.begin(), some.end());
  }
  std::stable_partition(all.begin(), all.end(), [](const byte_way& way) { return way.goes == direction::write; });
  return all;
}

}  // namespace

bool byte_way::takes_buffer(std::size_t bytes) const noexcept {
  return buffers == buffer_choice::any ||
         (buffers == buffer_choice::blocks && bytes >= detail::smallest_block && bytes <= detail::largest_block);
}

const std::vector<byte_way>& byte_ways() {
  static const std::vector<byte_way> ways = all_ways();
  return ways;
}

std::span<const unsigned char> byte_pattern() {
  static const auto pattern = make_pattern();
  return pattern;
}

byte_count expected_bytes(std::uint64_t size) {
  const auto pattern = byte_pattern();
  const auto sum_of = [&](std::uint64_t length) {
    const auto part = pattern.first(static_cast<std::size_t>(length));
    return std::accumulate(part.begin(), part.end(), std::uint64_t{0});
  };
  return {size, size / pattern.size() * sum_of(pattern.size()) + sum_of(size % pattern.size())};
}

double byte_loop_rate() {
  constexpr std::uint64_t enough = std::uint64_t{1} << 26;
  double best = 0;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const stopwatch watch;
    put_each(enough, [](char) {});
    best = std::max(best, static_cast<double>(enough) / watch.seconds() / 1e6);
  }
  return best;
}

}  // namespace freshet::tool

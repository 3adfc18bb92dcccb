#include <freshet/statistics.hpp>

#include <array>
#include <cstdio>

namespace freshet {
namespace {

// Without fmt, which the library does not need otherwise.
template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

std::string describe(const file_statistics& statistics) {
  std::string line = formatted("%llu bytes", static_cast<unsigned long long>(statistics.bytes));
  const char* separator = "; ";
  for (const method_share& share : statistics.methods) {
    line += separator + std::string{share.method} +
            formatted(" %llu (%.3f s)", static_cast<unsigned long long>(share.bytes), share.seconds_waited);
    separator = ", ";
  }
  for (const method_change& change : statistics.changes)
    line += formatted("; at %llu from ", static_cast<unsigned long long>(change.offset)) + std::string{change.from} +
            " to " + std::string{change.to} + ": " + std::string{change.reason};
  if (statistics.all_changes > statistics.changes.size())
    line += formatted("; and %llu more changes",
                      static_cast<unsigned long long>(statistics.all_changes - statistics.changes.size()));
  return line;
}

}  // namespace freshet

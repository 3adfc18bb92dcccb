// Reads from a stream of a known type: directly from its buffer's get area if the standard would take the same
// characters and do nothing else; not for programs.
#pragma once

#include <cstddef>
#include <ios>
#include <streambuf>

#include <freshet/filebuf.hpp>

namespace freshet::detail {

struct extraction {
  /// Returns whether extracting only means taking characters: no error state, and no other stream to flush before.
  [[nodiscard, gnu::always_inline]] static bool is_plain(const std::ios& stream, const std::streambuf& own) {
    return stream.rdstate() == std::ios_base::goodbit && stream.tie() == nullptr && stream.rdbuf() == &own;
  }

  /// Returns the next `length` characters; null if they are not in memory, or if `length` is negative.
  [[nodiscard, gnu::always_inline]] static const char* next(const filebuf& from, std::streamsize length) {
    return static_cast<std::size_t>(from.egptr() - from.gptr()) >= static_cast<std::size_t>(length) ? from.gptr()
                                                                                                    : nullptr;
  }
  /// Takes as many of them. Precondition: they are in memory.
  [[gnu::always_inline]] static void take(filebuf& from, std::streamsize length) {
    from.setg(from.eback(), from.gptr() + length, from.egptr());
  }
};

}  // namespace freshet::detail

// Streams whose method changes at random write what std::ofstream writes, wherever they seek.
#include <freshet/stream.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/forced_changes.hpp"
#include "tests/support/random_steps.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t page = 4096;

enum class action { write, write_pages, put, seek, seek_from_here, seek_from_end, flush };

using step = test::random_step<action>;

rc::Gen<step> any_step() {
  using test::step_of;
  return rc::gen::weightedOneOf<step>({{6, step_of(action::write, 300'000)},
                                       {4, step_of(action::write_pages, 100)},
                                       {2, step_of(action::put, 5000)},
                                       {1, step_of(action::seek, 1'000'000)},
                                       {1, step_of(action::seek_from_here, 100'000)},
                                       {1, step_of(action::seek_from_end, 100'000)},
                                       {2, step_of(action::flush, 1)}});
}

void make(std::ostream& out, const step& next, std::uint64_t number) {
  const auto length = static_cast<std::streamoff>(next.amount);
  const auto write = [&](std::size_t bytes) {
    out.write(test::bytes_from(number * 1'000'003, bytes).data(), static_cast<std::streamsize>(bytes));
  };
  switch (next.kind) {
    case action::write:
      return write(next.amount);
    case action::write_pages:
      return write(next.amount * page);
    case action::put:
      for (std::size_t i = 0; i < next.amount; ++i) out.put(test::byte_at(number + i));
      return;
    case action::seek:
      out.seekp(length);
      return;
    case action::seek_from_here:
      out.seekp(length - 50'000, std::ios::cur);
      return;
    case action::seek_from_end:
      out.seekp(-length, std::ios::end);
      return;
    case action::flush:
      out.flush();
      return;
  }
}

RC_GTEST_PROP(changing_streams, write_what_ofstream_writes, ()) {
  const test::forced_changes force{test::at_random};
  const test::temporary_directory directory;
  writer_options options{.block = *rc::gen::element<std::size_t>(0, page, 64 << 10)};
  options.durability = *rc::gen::element(durability::none, durability::none, durability::none, durability::at_close,
                                         durability::each_write);
  options.reserve = *rc::gen::element<std::uint64_t>(0, 0, 100'000, 3'000'000);
  options.hidden_until_closed = *rc::gen::inRange(0, 5) == 0;
  ofstream tested{directory / "freshet", options};
  std::ofstream expected{directory / "std", std::ios::binary};
  std::uint64_t number = 0;
  for (const step& next : *rc::gen::container<std::vector<step>>(any_step())) {
    ++number;
    make(tested, next, number);
    make(expected, next, number);
    RC_ASSERT(tested.rdstate() == expected.rdstate());
    RC_ASSERT(tested.tellp() == expected.tellp());
    tested.clear();
    expected.clear();
  }
  tested.close();
  expected.close();
  RC_ASSERT(tested.good());
  RC_ASSERT(test::content_of(directory / "freshet") == test::content_of(directory / "std"));
}

}  // namespace
}  // namespace freshet

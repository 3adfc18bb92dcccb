// Any sequence of calls, by every filter, writes the same bytes as std::ofstream.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/filters.hpp"
#include "tests/support/random_steps.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

enum class action { write, write_bytes, put, room, flush, sync, reserve, move, write_large };

using step = test::random_step<action>;

rc::Gen<step> any_step() {
  using test::step_of;
  return rc::gen::weightedOneOf<step>({{6, step_of(action::write, 3000)},
                                       {3, step_of(action::write_bytes, 20'000)},
                                       {3, step_of(action::put, 300)},
                                       {3, step_of(action::room, 20'000)},
                                       {4, step_of(action::flush, 1)},
                                       {1, step_of(action::sync, 1)},
                                       {1, step_of(action::reserve, 2'000'000)},
                                       {1, step_of(action::move, 1)},
                                       {3, step_of(action::write_large, 600'000)}});
}

// A writer, and a std::ofstream that writes the same to another file.
class pair_of_files {
 public:
  pair_of_files(const std::filesystem::path& directory, const test::filters& filters, writer_options options)
      : ours_{directory / "ours"},
        theirs_{directory / "theirs"},
        filters_{filters},
        out_{ours_, filters.apply(options)},
        model_{theirs_, std::ios::binary} {}

  void make(step next) {
    const auto bytes = test::bytes_from(written_, next.amount);
    switch (next.kind) {
      case action::write:
      case action::write_large:
        out_.write(bytes);
        break;
      case action::write_bytes:
        out_.write(std::as_bytes(std::span{bytes}));
        break;
      case action::put:
        for (const char each : bytes) out_.put(each);
        break;
      case action::room:
        fill_room(bytes);
        break;
      case action::flush:
        out_.flush();
        return RC_ASSERT(filters_.change_bytes() || out_.written_bytes() == written_);
      case action::sync:
        out_.sync();
        return RC_ASSERT(out_.durable_bytes() == (filters_.change_bytes() ? out_.written_bytes() : written_));
      case action::reserve:
        return out_.reserve(next.amount);
      case action::move: {
        writer elsewhere{std::move(out_)};
        RC_ASSERT(!out_.is_open());
        out_ = std::move(elsewhere);
        return;
      }
    }
    model_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
  }

  void check() const {
    RC_ASSERT(out_.tell() == written_);
    RC_ASSERT(out_.size() == written_);
    RC_ASSERT(filters_.change_bytes() || out_.written_bytes() <= written_);
    RC_ASSERT(out_.durable_bytes() <= out_.written_bytes());
  }

  void finish() {
    out_.close();
    model_.close();
    RC_ASSERT(out_.size() == written_);
    RC_ASSERT(filters_.change_bytes() || out_.written_bytes() == written_);
    RC_ASSERT(filters_.content_of(ours_, out_.checksum()) == test::content_of(theirs_));
  }

 private:
  void fill_room(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto room = out_.room();
      RC_ASSERT(!room.empty());
      const std::size_t length = std::min(room.size(), bytes.size());
      std::memcpy(room.data(), bytes.data(), length);
      out_.advance(length);
      bytes.remove_prefix(length);
    }
  }

  std::filesystem::path ours_;
  std::filesystem::path theirs_;
  test::filters filters_;
  writer out_;
  std::ofstream model_;
  std::uint64_t written_ = 0;
};

class writer_property : public testing::TestWithParam<test::way> {
 protected:
  test::temporary_directory directory_ = test::directory_for(GetParam().method);
};

TEST_P(writer_property, writes_the_bytes_that_ofstream_writes) {
  if (const auto reason = test::why_not(GetParam().method, directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  const bool holds = rc::check([&] {
    const auto block = std::size_t{4096} << *rc::gen::inRange(0, 7);
    const auto filters = *test::any_filters();
    // 0: the default.
    auto options = GetParam().options(*rc::gen::element(block, std::size_t{0}), *rc::gen::inRange(1U, 5U));
    options.durability = *rc::gen::element(durability::none, durability::none, durability::at_close);
    options.mode = filters.change_bytes()
                       ? open_mode::truncate
                       : *rc::gen::element(open_mode::truncate, open_mode::truncate, open_mode::overwrite);
    options.atomic = options.mode == open_mode::truncate && *rc::gen::inRange(0, 5) == 0;
    options.hidden_until_closed = options.mode == open_mode::truncate && *rc::gen::inRange(0, 5) == 0;
    options.reserve = *rc::gen::element<std::uint64_t>(0, 0, 100'000, 3'000'000);
    pair_of_files files{directory_.path(), filters, options};
    for (const auto& next : *rc::gen::container<std::vector<step>>(any_step())) {
      files.make(next);
      files.check();
    }
    files.finish();
  });
  EXPECT_TRUE(holds);
}

INSTANTIATE_TEST_SUITE_P(all, writer_property, testing::ValuesIn(test::all_ways()),
                         [](const auto& which) { return which.param.name(); });

}  // namespace
}  // namespace freshet

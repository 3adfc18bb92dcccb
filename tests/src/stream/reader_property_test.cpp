// Any sequence of calls returns the same bytes as std::ifstream, even if the kernel interrupts or shortens calls.
#include <freshet/reader.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fault_injection.hpp"
#include "tests/support/random_steps.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

enum class action { get, peek, read, view, available, skip, seek, size, move };

using step = test::random_step<action>;

rc::Gen<step> any_step() {
  using test::step_of;
  return rc::gen::weightedOneOf<step>({{3, step_of(action::get, 3000)},
                                       {1, step_of(action::peek, 1)},
                                       {3, step_of(action::read, 20'000)},
                                       {2, step_of(action::read, 600'000)},
                                       {3, step_of(action::view, 20'000)},
                                       {1, step_of(action::view, 300'000)},
                                       {3, step_of(action::available, 40'000)},
                                       {2, step_of(action::skip, 200'000)},
                                       {2, step_of(action::seek, 1'200'000)},
                                       {1, step_of(action::size, 1)},
                                       {1, step_of(action::move, 1)}});
}

// A reader and a std::ifstream on the same file.
class pair_of_readers {
 public:
  pair_of_readers(const std::filesystem::path& path, const reader_options& options)
      : in_{path, options}, model_{path, std::ios::binary}, size_{std::filesystem::file_size(path)} {}

  void make(step next) {
    switch (next.kind) {
      case action::get:
        for (std::size_t i = 0; i < next.amount; ++i) RC_ASSERT(in_.get() == model_.get());
        return moved_by(next.amount);
      case action::peek:
        return RC_ASSERT(in_.peek() == model_.peek());
      case action::read: {
        std::string bytes(next.amount, '\0');
        bytes.resize(in_.read(bytes));
        return expect(bytes, next.amount);
      }
      case action::view:
        return expect(test::text_of(in_.view(next.amount)), next.amount);
      case action::available: {
        const auto bytes = in_.available();
        RC_ASSERT(bytes.empty() == (at_ >= size_));
        const auto part = bytes.first(std::min(bytes.size(), next.amount));
        in_.skip(part.size());
        return expect(test::text_of(part), part.size());
      }
      case action::skip:
        in_.skip(next.amount);
        return go_to(at_ + next.amount);
      case action::seek:
        in_.seek(next.amount);
        return go_to(next.amount);
      case action::size:
        return RC_ASSERT(in_.size() == size_);
      case action::move: {
        reader elsewhere{std::move(in_)};
        RC_ASSERT(!in_.is_open());
        in_ = std::move(elsewhere);
        return;
      }
    }
  }

  void check() {
    RC_ASSERT(in_.tell() == at_);
    RC_ASSERT(!in_.last_error());
    model_.clear();
  }

 private:
  void expect(const std::string& bytes, std::size_t asked) {
    std::string model(asked, '\0');
    model_.read(model.data(), static_cast<std::streamsize>(asked));
    model.resize(static_cast<std::size_t>(model_.gcount()));
    RC_ASSERT(bytes == model);
    moved_by(asked);
  }
  void moved_by(std::size_t asked) {
    if (at_ < size_) at_ = std::min<std::uint64_t>(at_ + asked, size_);
  }
  void go_to(std::uint64_t offset) {
    at_ = offset;
    model_.seekg(static_cast<std::streamoff>(offset));
  }

  reader in_;
  std::ifstream model_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
};

class reader_property : public testing::TestWithParam<std::string_view> {
 protected:
  test::temporary_directory directory_;
};

TEST_P(reader_property, finds_what_ifstream_finds) {
  if (const auto reason = test::why_not(GetParam(), directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  const bool holds = rc::check([&] {
    const auto path = directory_ / "file";
    test::make_file(path, *rc::gen::element<std::size_t>(100, 65'536, 70'000, 300'000, 1'000'000));
    const auto named = *rc::gen::inRange(0, 4) != 0;
    test::fault_injection faults{*rc::gen::arbitrary<std::uint64_t>()};
    if (*rc::gen::inRange(0, 2) == 0) {
      for (const auto kind : {detail::os::call::read, detail::os::call::read_at, detail::os::call::submit_read}) {
        faults.fail_sometimes(kind, 0.1, std::errc::interrupted);
        faults.shorten_sometimes(kind, 0.2, *rc::gen::element<std::size_t>(1, 512, 4096));
      }
      for (const auto kind : {detail::os::call::submit, detail::os::call::wait})
        faults.fail_sometimes(kind, 0.1, std::errc::interrupted);
    }
    pair_of_readers files{path,
                          {.method = named ? GetParam() : "auto",
                           .block = std::size_t{4096} << *rc::gen::inRange(0, 6),
                           .depth = *rc::gen::inRange(1U, 5U),
                           .access = *rc::gen::element(access::sequential, access::random)}};
    for (const auto& next : *rc::gen::container<std::vector<step>>(any_step())) {
      files.make(next);
      files.check();
    }
  });
  EXPECT_TRUE(holds);
}

INSTANTIATE_TEST_SUITE_P(all, reader_property, testing::ValuesIn(test::reading_methods),
                         [](const auto& which) { return std::string{which.param}; });

}  // namespace
}  // namespace freshet

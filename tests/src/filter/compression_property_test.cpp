// Any sequence of calls on a compressed file returns what the same calls return for the plain bytes.
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/compressing.hpp"
#include "tests/support/fault_injection.hpp"

namespace freshet {
namespace {

using test::compressed;
using test::decompressed;
using test::mixed_bytes;

enum class action { read, view, available, skip, seek, size };

struct step {
  action kind;
  std::size_t amount;
};

void showValue(const step& one, std::ostream& out) { out << static_cast<int>(one.kind) << ':' << one.amount; }

rc::Gen<step> any_step(std::size_t length) {
  const auto of = [](action kind, std::size_t most) {
    return rc::gen::map(rc::gen::inRange<std::size_t>(0, most), [=](std::size_t amount) { return step{kind, amount}; });
  };
  return rc::gen::weightedOneOf<step>({{3, of(action::read, 20'000)},
                                       {1, of(action::read, length + 10)},
                                       {2, of(action::view, 20'000)},
                                       {2, of(action::available, 40'000)},
                                       {2, of(action::skip, length / 2 + 2)},
                                       {4, of(action::seek, length + 100)},
                                       {1, of(action::size, 1)}});
}

// Written in pieces, some of them flushed.
void write_in_pieces(const std::filesystem::path& path, std::string_view content) {
  writer out{path, compressed(*rc::gen::inRange(-10, 5), *rc::gen::inRange(0U, 4U))};
  while (!content.empty()) {
    const auto length = std::min<std::size_t>(content.size(), *rc::gen::inRange<std::size_t>(1, content.size() + 1));
    out.write(content.substr(0, length));
    content.remove_prefix(length);
    if (*rc::gen::inRange(0, 3) == 0) out.flush();
    RC_ASSERT(out.tell() + content.size() > 0U);
  }
  out.close();
}

class model {
 public:
  model(const std::filesystem::path& path, std::string content)
      : in_{path, decompressed(decompression::automatic)}, content_{std::move(content)} {}

  void make(step next) {
    const std::size_t here = std::min(at_, content_.size());
    const std::string_view rest = std::string_view{content_}.substr(here);
    switch (next.kind) {
      case action::read: {
        std::string bytes(next.amount, '\0');
        bytes.resize(in_.read(bytes));
        RC_ASSERT(bytes == rest.substr(0, next.amount));
        at_ += bytes.size();
        break;
      }
      case action::view: {
        const auto bytes = in_.view(next.amount);
        RC_ASSERT(text(bytes) == rest.substr(0, next.amount));
        at_ += bytes.size();
        break;
      }
      case action::available: {
        const auto bytes = in_.available();
        RC_ASSERT(rest.starts_with(text(bytes)));
        RC_ASSERT(bytes.empty() == rest.empty());
        const std::size_t taken = std::min(next.amount, bytes.size());
        in_.advance(taken);
        at_ += taken;
        break;
      }
      case action::skip:
        in_.skip(next.amount);
        at_ += next.amount;
        break;
      case action::seek:
        in_.seek(next.amount);
        at_ = next.amount;
        break;
      case action::size:
        RC_ASSERT(in_.size() == content_.size());
        break;
    }
    RC_ASSERT(in_.tell() == at_);
  }

 private:
  static std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  reader in_;
  std::string content_;
  std::size_t at_ = 0;
};

class compression_property : public test::compression_test {};

TEST_F(compression_property, a_compressed_file_reads_as_the_plain_bytes) {
  const bool holds = rc::check([&] {
    const auto length = *rc::gen::element<std::size_t>(0, 1, 100, 70'000, 1'500'000, 5'000'000, 9'000'000);
    const std::string content = mixed_bytes(length, *rc::gen::arbitrary<std::uint64_t>());
    write_in_pieces(path_, content);
    test::fault_injection faults{*rc::gen::arbitrary<std::uint64_t>()};
    if (*rc::gen::inRange(0, 2) == 0)
      for (const auto kind : {detail::os::call::read, detail::os::call::read_at}) {
        faults.fail_sometimes(kind, 0.1, std::errc::interrupted);
        faults.shorten_sometimes(kind, 0.3, *rc::gen::element<std::size_t>(1, 512, 4096));
      }
    model file{path_, content};
    for (const auto& next : *rc::gen::container<std::vector<step>>(any_step(length))) file.make(next);
  });
  EXPECT_TRUE(holds);
}

TEST_F(compression_property, so_does_one_of_the_tool) {
  if (const auto reason = test::why_no_zstd_tool(); !reason.empty()) GTEST_SKIP() << reason;
  const auto plain = directory_ / "plain";
  const std::string content = mixed_bytes(5'000'000);
  test::put_file(plain, content);
  const bool holds = rc::check([&] {
    const auto options = *rc::gen::element<std::string>("-1", "-1 --no-check", "-1 --no-content-size");
    RC_ASSERT(test::runs("zstd -q -f " + options + " -o " + test::quoted(path_) + " " + test::quoted(plain)));
    model file{path_, content};
    for (const auto& next : *rc::gen::container<std::vector<step>>(any_step(content.size()))) file.make(next);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace freshet

// Whatever is written, flushed, sought and read, a sealed file holds the plain bytes.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/sealed_bytes.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t segment = detail::smallest_segment;
constexpr std::size_t chunk = segment - detail::chunk_overhead;
constexpr std::size_t first_chunk = chunk - detail::sealed_header::length;

TEST(sealed, sizes_around_chunk_boundaries_make_round_trips) {
  const auto key = test::key_of(1);
  for (std::size_t chunks = 0; chunks < 4; ++chunks)
    for (std::size_t extra = 0; extra < 80; ++extra) {
      const std::size_t most = first_chunk + chunks * chunk + 40;
      const std::string plain = test::bytes_from(0, most - extra);
      const std::string stored = test::sealed(plain, key, segment);
      EXPECT_LE(stored.size(), detail::sealed_size(plain.size(), segment));
      const auto read = test::unseal(stored, key, 1000);
      ASSERT_FALSE(read.failure) << plain.size() << ": " << read.message;
      ASSERT_EQ(read.plain, plain);
    }
  for (const std::size_t size : {0U, 1U, 2U}) {
    const std::string plain = test::bytes_from(0, size);
    EXPECT_EQ(test::unseal(test::sealed(plain, key), key).plain, plain);
  }
}

TEST(sealed, every_flush_near_the_end_of_a_segment_makes_a_round_trip) {
  const auto key = test::key_of(1);
  const std::string plain = test::bytes_from(0, 3 * segment);
  for (std::size_t left = 0; left <= 70; ++left) {
    const std::size_t flushed = first_chunk - left;
    for (const std::size_t next : {1UL, 2UL, 40UL, segment}) {
      const auto stored = test::sealed(plain, key, segment, {flushed, flushed + next});
      const auto read = test::unseal(stored, key);
      ASSERT_FALSE(read.failure) << left << ": " << read.message;
      ASSERT_EQ(read.plain, plain) << left;
    }
    // The file ends where a flush did.
    const auto ended = std::string_view{plain}.substr(0, flushed);
    const auto read = test::unseal(test::sealed(ended, key, segment, {flushed}), key);
    ASSERT_FALSE(read.failure) << left << ": " << read.message;
    ASSERT_EQ(read.plain, ended);
  }
}

enum class action { write, fill, flush };

RC_GTEST_PROP(sealed, any_sequence_of_writes_and_flushes_makes_a_round_trip, ()) {
  const auto key = test::key_of(2);
  std::string stored;
  const auto block = *rc::gen::inRange<std::size_t>(1, 9000);
  const auto size =
      *rc::gen::elementOf(std::vector{segment, 2 * segment, detail::default_segment, std::size_t{1} << 20});
  const auto out =
      detail::seal_into(std::make_unique<test::memory_sink>(stored, block), detail::prepare_sealing("", key, size));
  std::string plain;
  const auto steps = *rc::gen::inRange(0, 30);
  for (int i = 0; i < steps; ++i) {
    const auto kind = *rc::gen::element(action::write, action::fill, action::flush);
    const auto length = *rc::gen::weightedOneOf<std::size_t>({{3, rc::gen::inRange<std::size_t>(0, 50)},
                                                              {1, rc::gen::inRange<std::size_t>(0, 3 * segment)},
                                                              {1, rc::gen::inRange<std::size_t>(0, 2 * size)}});
    const std::string bytes = test::bytes_from(plain.size(), length);
    if (kind == action::flush) {
      out->flush();
      // What was flushed is readable, although the file has no end yet.
      const auto read = test::unseal(stored, key, *rc::gen::inRange<std::size_t>(1, 9000));
      RC_ASSERT(read.plain == plain);
      RC_ASSERT(read.failure == std::errc::bad_message);
    } else if (kind == action::write) {
      out->write(std::as_bytes(std::span{bytes}));
      plain += bytes;
    } else {
      const auto least = *rc::gen::elementOf(std::vector<std::size_t>{1, 1, 100, detail::sink::largest_least});
      RC_ASSERT(out->next_window(least));
      const auto room = out->window().room();
      RC_ASSERT(room.size() >= least);
      const auto part = bytes.substr(0, room.size());
      std::ranges::copy(std::as_bytes(std::span{part}), room.begin());
      out->advance(part.size());
      plain += part;
    }
    RC_ASSERT(out->window().position() == plain.size());
  }
  out->close();
  const auto read = test::unseal(stored, key, *rc::gen::inRange<std::size_t>(1, 9000));
  RC_ASSERT(!read.failure);
  RC_ASSERT(read.plain == plain);
}

RC_GTEST_PROP(sealed, any_sequence_of_seeks_and_reads_returns_the_plain_bytes, ()) {
  const auto key = test::key_of(3);
  const auto size = *rc::gen::inRange<std::size_t>(0, 20 * segment);
  const std::string plain = test::bytes_from(0, size);
  auto flushes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, size + 1));
  std::ranges::sort(flushes);
  const std::string stored = test::sealed(plain, key, segment, flushes);
  const auto in =
      test::unsealing(std::make_unique<test::memory_source>(stored, *rc::gen::inRange<std::size_t>(1, 9000)), key);
  std::size_t at = 0;
  for (int i = 0; i < 20; ++i) {
    std::error_code failure;
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        at = *rc::gen::inRange<std::size_t>(0, size + 100);
        in->seek(at);
        break;
      case 1:
        RC_ASSERT(in->size(failure) == size);
        RC_ASSERT(!failure);
        break;
      default:
        break;
    }
    std::string read(*rc::gen::inRange<std::size_t>(0, 2 * segment), '\0');
    // As a reader does, which may be anywhere in the window.
    const auto taken = at < in->offset() ? 0 : std::min<std::size_t>(at - in->offset(), in->window().size());
    const auto joined = in->join(taken, read.size());
    read.assign(reinterpret_cast<const char*>(joined.data()), joined.size());
    RC_ASSERT(!in->failure());
    RC_ASSERT(read == (at < size ? plain.substr(at, read.size()) : ""));
    RC_ASSERT(at >= size || read.size() == joined.size());
    at += read.size();
  }
}

TEST(sealed, a_jump_in_a_file_without_flushes_reads_one_chunk) {
  const auto key = test::key_of(4);
  const std::string plain = test::bytes_from(0, 200 * segment);
  const std::string stored = test::sealed(plain, key, segment);
  for (const std::size_t offset : {0UL, first_chunk - 1, first_chunk, first_chunk + chunk, 150 * chunk + 17}) {
    auto inner = std::make_unique<test::memory_source>(stored, segment);
    const auto* const watched = inner.get();
    const auto in = test::unsealing(std::move(inner), key);
    in->seek(offset);
    ASSERT_TRUE(in->next_window());
    EXPECT_LE(watched->bytes_read(), 3 * segment) << offset;
    EXPECT_EQ(static_cast<char>(in->window().front()), plain[offset]);
  }
}

TEST(sealed, a_jump_in_a_file_of_many_flushes_reads_few_chunks) {
  const auto key = test::key_of(4);
  const std::string plain = test::bytes_from(0, 500'000);
  std::vector<std::size_t> flushes;
  for (std::size_t end = 100; end < plain.size(); end += 100) flushes.push_back(end);
  const std::string stored = test::sealed(plain, key, segment, flushes);
  for (std::size_t offset = 0; offset < plain.size(); offset += 9'999) {
    auto inner = std::make_unique<test::memory_source>(stored, 256);
    const auto* const watched = inner.get();
    const auto in = test::unsealing(std::move(inner), key);
    in->seek(offset);
    ASSERT_TRUE(in->next_window());
    EXPECT_EQ(static_cast<char>(in->window().front()), plain[offset]);
    EXPECT_LE(watched->bytes_read(), 4 * segment) << offset;
  }
}

}  // namespace
}  // namespace freshet

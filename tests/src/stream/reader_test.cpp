#include <freshet/reader.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "src/base/pool.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/profile_sample.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using test::belongs_at;
using testing::AllOf;
using testing::HasSubstr;

class reader_test : public testing::Test {
 protected:
  std::filesystem::path file(std::size_t length) {
    test::make_file(path_, length);
    return path_;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(reader_test, is_closed_until_it_is_opened) {
  reader in;
  EXPECT_FALSE(in.is_open());
  EXPECT_EQ(in.tell(), 0U);
  EXPECT_EQ(in.native_handle(), no_native_handle);
  EXPECT_EQ(in.method(), "");
  EXPECT_NO_THROW(in.close());
  std::error_code failure;
  EXPECT_EQ(in.get(failure), reader::end_of_file);
  EXPECT_EQ(failure, std::errc::bad_file_descriptor);
  EXPECT_THROW(static_cast<void>(in.size()), error);
}

TEST_F(reader_test, gives_bytes_above_127_as_such_and_then_the_end) {
  std::ofstream{path_, std::ios::binary} << "a\xff" << '\0';
  reader in{path_};
  EXPECT_EQ(in.peek(), 'a');
  EXPECT_EQ(in.get(), 'a');
  EXPECT_EQ(in.get(), 0xff);
  EXPECT_EQ(in.get(), 0);
  EXPECT_EQ(in.peek(), reader::end_of_file);
  EXPECT_EQ(in.get(), reader::end_of_file);
  EXPECT_EQ(in.tell(), 3U);
  EXPECT_FALSE(in.last_error());
}

TEST_F(reader_test, reads_an_empty_file) {
  reader in{file(0)};
  EXPECT_EQ(in.get(), reader::end_of_file);
  EXPECT_TRUE(in.available().empty());
  EXPECT_TRUE(in.view(10).empty());
  char some[3];
  EXPECT_EQ(in.read(some), 0U);
  EXPECT_EQ(in.size(), 0U);
}

TEST_F(reader_test, costs_open_two_reads_and_close_where_the_file_is_small) {
  file(4096);
  test::fault_injection calls;
  {
    reader in{path_};
    EXPECT_EQ(in.view(4096).size(), 4096U);
    EXPECT_EQ(in.get(), reader::end_of_file);
  }
  EXPECT_EQ(calls.count(detail::os::call::open), 1U);
  EXPECT_EQ(calls.count(detail::os::call::read_at), 2U);
  EXPECT_EQ(calls.count(detail::os::call::close), 1U);
  for (const auto other :
       {detail::os::call::status, detail::os::call::read, detail::os::call::advise, detail::os::call::queue_setup})
    EXPECT_EQ(calls.count(other), 0U);
}

TEST_F(reader_test, reads_large_pieces_straight_into_the_caller_s_memory) {
  file(3 << 20);
  test::fault_injection calls;
  reader in{path_};
  std::string all(3 << 20, '\0');
  EXPECT_EQ(in.read(all), all.size());
  EXPECT_EQ(test::first_difference(all), all.size());
  EXPECT_EQ(calls.count(detail::os::call::read) + calls.count(detail::os::call::read_at), 2U);
}

TEST_F(reader_test, views_without_a_copy_what_lies_in_one_block) {
  reader in{file(300'000), {.method = "buffered", .block = 64 << 10}};
  const auto available = in.available();
  ASSERT_EQ(available.size(), 65536U);
  EXPECT_EQ(in.view(1000).data(), available.data());
  EXPECT_EQ(in.view(500).data(), available.data() + 1000);
  EXPECT_EQ(in.tell(), 1500U);
  const auto across = in.view(200'000);
  EXPECT_EQ(across.size(), 200'000U);
  EXPECT_TRUE(belongs_at(1500, across));
  EXPECT_EQ(in.tell(), 201'500U);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(201'500)));
}

TEST_F(reader_test, takes_no_more_memory_than_twice_what_is_there) {
  reader in{file(100'000)};
  const auto all = in.view(std::size_t{1} << 62);
  EXPECT_EQ(all.size(), 100'000U);
  EXPECT_TRUE(belongs_at(0, all));
  EXPECT_EQ(in.get(), reader::end_of_file);
}

TEST_F(reader_test, seeks_and_skips_beyond_the_end_and_back) {
  reader in{file(100'000)};
  in.seek(1'000'000);
  EXPECT_EQ(in.tell(), 1'000'000U);
  EXPECT_EQ(in.get(), reader::end_of_file);
  in.seek(99'999);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(99'999)));
  in.seek(0);
  in.skip(50'000);
  in.skip(100'000);
  EXPECT_EQ(in.tell(), 150'000U);
  EXPECT_EQ(in.peek(), reader::end_of_file);
  in.seek(7);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(7)));
  EXPECT_FALSE(in.last_error());
}

TEST_F(reader_test, seeks_within_a_block_without_a_call) {
  reader in{file(60'000)};
  EXPECT_NE(in.get(), reader::end_of_file);
  const test::fault_injection calls;
  in.seek(59'000);
  EXPECT_TRUE(belongs_at(59'000, in.view(1000)));
  in.seek(0);
  EXPECT_TRUE(belongs_at(0, in.view(1000)));
  EXPECT_EQ(calls.count(detail::os::call::read) + calls.count(detail::os::call::read_at), 0U);
}

TEST_F(reader_test, moves_with_all_it_holds) {
  reader first{file(200'000)};
  EXPECT_TRUE(belongs_at(0, first.view(70'000)));
  reader second{std::move(first)};
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_TRUE(belongs_at(70'000, second.view(1000)));
  first = std::move(second);
  EXPECT_TRUE(belongs_at(71'000, first.view(100'000)));
  first = reader{};
  EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
}

TEST_F(reader_test, gives_its_memory_back) {
  const auto before = detail::pool::in_use();
  for (const auto method : test::working({"buffered", "direct", "uring"}, directory_.path())) {
    reader in{file(300'000), {.method = method, .block = 64 << 10, .depth = 4}};
    EXPECT_EQ(in.view(100'000).size(), 100'000U);
    EXPECT_GT(detail::pool::in_use(), before);
    in.close();
    EXPECT_EQ(detail::pool::in_use(), before) << method;
  }
}

TEST_F(reader_test, names_what_it_cannot_open) {
  const auto message = [](const std::filesystem::path& path, const reader_options& options) -> std::string {
    try {
      reader in{path, options};
      in.get();
    } catch (const error& caught) {
      return caught.what();
    }
    return "";
  };
  EXPECT_THAT(message(directory_ / "none", {}), AllOf(HasSubstr("open"), HasSubstr("none"), HasSubstr("No such file")));
  for (const char* const method : {"auto", "buffered", "direct", "mmap"})
    EXPECT_THAT(message(directory_.path(), {.method = method}), HasSubstr("Is a directory")) << method;
  file(10);
  EXPECT_THAT(message(path_, {.method = "no-such"}), AllOf(HasSubstr("no method 'no-such'"), HasSubstr("uring")));
  EXPECT_THAT(message(path_, {.method = "writebehind"}), HasSubstr("writebehind does not read"));
  EXPECT_THAT(message(path_, {.block = 5000}), HasSubstr("power of two"));
  EXPECT_THAT(message(path_, {.depth = 65}), HasSubstr("64"));
  EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
}

TEST_F(reader_test, reports_what_closing_finds_and_closes_all_the_same) {
  reader in{file(10)};
  EXPECT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(0)));
  in.close();
  in.close();
  EXPECT_FALSE(in.is_open());
  EXPECT_THROW(in.get(), error);
  EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
}

// Every method with blocks of all sizes.
class reading : public reader_test, public testing::WithParamInterface<std::tuple<std::string_view, std::size_t>> {
 protected:
  void SetUp() override {
    const auto method = std::get<0>(GetParam());
    if (const auto reason = test::why_not(method, directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
    options_ = {.method = method, .block = std::get<1>(GetParam()), .depth = 3};
  }
  reader_options options_;
};

TEST_P(reading, gives_every_byte_of_files_of_any_length) {
  const auto block = options_.block;
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, block - 1,
                                   block, block + 1, 2 * block, 3 * block + 4096, 9 * block + 12'345}) {
    reader in{file(length), options_};
    EXPECT_TRUE(in.method() == options_.method || (options_.method == "adaptive" && !in.method().empty()));
    EXPECT_EQ(in.size(), length);
    std::size_t read = 0;
    for (int next = in.get(); next != reader::end_of_file; next = in.get(), ++read)
      if (next != static_cast<unsigned char>(test::byte_at(read))) break;
    EXPECT_EQ(read, length);
    EXPECT_EQ(in.tell(), length);
    in.seek(length / 2);
    EXPECT_TRUE(belongs_at(length / 2, in.view(length)));
    in.seek(1);
    std::string rest(length + 10, '\0');
    EXPECT_EQ(in.read(rest), length == 0 ? 0 : length - 1);
    EXPECT_NO_THROW(in.close());
  }
}

TEST_P(reading, delivers_what_a_file_grew_by) {
  reader in{file(10'000), options_};
  for (const std::size_t length : {10'000UL, 10'001UL, 80'000UL, 80'010UL, 600'000UL}) {
    test::grow_file(path_, length);
    const auto at = in.tell();
    const auto more = in.view(1'000'000);
    EXPECT_EQ(at + more.size(), length);
    EXPECT_TRUE(belongs_at(at, more));
    EXPECT_EQ(in.get(), reader::end_of_file);
    EXPECT_EQ(in.size(), length);
  }
}

TEST_P(reading, ends_at_positions_that_no_file_can_have) {
  reader in{file(10'000), options_};
  for (const std::uint64_t offset : {std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    in.seek(offset);
    EXPECT_EQ(in.tell(), offset);
    EXPECT_EQ(in.get(), reader::end_of_file);
    std::string into(10, '\0');
    EXPECT_EQ(in.read(into), 0U);
    EXPECT_TRUE(in.view(10).empty());
  }
  in.seek(7);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(test::byte_at(7)));
}

INSTANTIATE_TEST_SUITE_P(all, reading,
                         testing::Combine(testing::ValuesIn(test::reading_methods),
                                          testing::Values(4096, 16 << 10, 64 << 10, 1 << 20)),
                         [](const auto& which) {
                           return std::string{std::get<0>(which.param)} + "_" +
                                  std::to_string(std::get<1>(which.param));
                         });

// A profile by which cached files are read in another way than others.
class reading_by_profile : public reader_test {
 protected:
  reading_by_profile() {
    std::error_code failure;
    const auto target = detail::os::file::open(file(1 << 20), {.read = true}, failure);
    test::make_file(path_, 1 << 20);
    file_system_profile entry;
    entry.key = detail::os::file_system_key(target);
    entry.cold = {.method = "direct", .block = 128 << 10};
    entry.warm = {.method = "buffered", .block = 32 << 10};
    save_profile(directory_ / "profile.toml", entry);
    detail::forget_profiles();
  }
  ~reading_by_profile() override { detail::forget_profiles(); }

  // Returns the method that reads the file after the first block, and the size of its largest block.
  std::pair<std::string, std::size_t> choice(const reader_options& options = {}) {
    const test::environment_variable chosen{"FRESHET_PROFILE", (directory_ / "profile.toml").string()};
    reader in{path_, options};
    in.advance(in.available().size());
    std::size_t largest = 0;
    for (auto block = in.available(); !block.empty(); block = in.available()) {
      largest = std::max(largest, block.size());
      in.advance(block.size());
    }
    return {std::string{in.method()}, largest};
  }
};

TEST_F(reading_by_profile, goes_by_whether_the_page_cache_holds_the_file) {
  if (const auto reason = test::why_not("direct", directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_EQ(choice(), (std::pair<std::string, std::size_t>{"buffered", 32 << 10}));
  std::error_code failure;
  auto target = detail::os::file::open(path_, {.creation = detail::os::open_request::disposition::existing}, failure);
  target.sync(failure);
  target.advise(detail::os::advice::dont_need, 0, 0, failure);
  if (target.cached(failure).cached != 0) GTEST_SKIP() << "the file stays in the page cache here";
  EXPECT_EQ(choice(), (std::pair<std::string, std::size_t>{"direct", 128 << 10}));
}

TEST_F(reading_by_profile, takes_no_larger_blocks_than_the_file_can_fill) {
  test::make_file(path_, 600'000);
  EXPECT_EQ(choice({.block = 16 << 20}).second, 600'000U - (64 << 10));
  const auto before = detail::pool::in_use();
  const test::environment_variable chosen{"FRESHET_PROFILE", (directory_ / "profile.toml").string()};
  reader in{path_, {.block = 16 << 20}};
  EXPECT_EQ(in.view(600'000).size(), 600'000U);
  EXPECT_LE(detail::pool::in_use() - before, 1U << 20);
}

TEST_F(reading_by_profile, does_not_count_for_whoever_names_a_method_or_reads_at_random) {
  EXPECT_EQ(choice({.method = "buffered"}), (std::pair<std::string, std::size_t>{"buffered", 256 << 10}));
  EXPECT_EQ(choice({.access = access::random}), (std::pair<std::string, std::size_t>{"buffered", 16 << 10}));
  EXPECT_EQ(choice({.block = 64 << 10}).second, 64U << 10);
}

}  // namespace
}  // namespace freshet

// Options that cannot hold together are refused when the file is opened, with the reason, and nothing is touched.
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using testing::HasSubstr;

struct refused_writing {
  std::string_view name;
  writer_options options;
  std::string_view reason;
};

const refused_writing refused_writers[] = {
    {"block", {.block = 12345}, "power of two"},
    {"depth", {.depth = 65}, "at most 64"},
    {"flush_every", {.flush_every = 4095}, "at least 4096"},
    {"size_ahead", {.size_ahead = true}, "ordered = false"},
    {"atomic_append", {.mode = open_mode::append, .atomic = true}, "atomic"},
    {"hidden_overwrite", {.mode = open_mode::overwrite, .hidden_until_closed = true}, "hidden_until_closed"},
    {"keep_by_name", {.method = "buffered", .caching = caching::keep}, "the method \"auto\""},
    {"drop_by_name", {.method = "direct", .caching = caching::drop}, "the method \"auto\""},
    {"bypass_by_name", {.method = "uring", .caching = caching::bypass}, "the method \"auto\""},
    {"bypass_append", {.caching = caching::bypass, .mode = open_mode::append}, "cannot append"},
    {"temporary_atomic", {.atomic = true, .temporary = true}, "no name"},
    {"temporary_hidden", {.hidden_until_closed = true, .temporary = true}, "no name"},
    {"temporary_at_close", {.durability = durability::at_close, .temporary = true}, "durability::none"},
    {"temporary_each_write", {.durability = durability::each_write, .temporary = true}, "durability::none"},
    {"temporary_append", {.mode = open_mode::append, .temporary = true}, "always new"},
    {"temporary_overwrite", {.mode = open_mode::overwrite, .temporary = true}, "always new"},
    {"temporary_create_new", {.mode = open_mode::create_new, .temporary = true}, "always new"},
    {"temporary_by_name", {.method = "uring", .temporary = true}, "the method \"auto\""},
    {"temporary_drop", {.caching = caching::drop, .temporary = true}, "to the disk"},
    {"temporary_bypass", {.caching = caching::bypass, .temporary = true}, "to the disk"},
    {"temporary_deleted", {.temporary = true, .delete_on_close = true}, "no name"},
    {"deleted_atomic", {.atomic = true, .delete_on_close = true}, "contradicts"},
    {"deleted_hidden", {.hidden_until_closed = true, .delete_on_close = true}, "contradicts"},
    {"deleted_at_close", {.durability = durability::at_close, .delete_on_close = true}, "durability::none"},
    {"deleted_append", {.mode = open_mode::append, .delete_on_close = true}, "only a new file"},
    {"checksum_append", {.mode = open_mode::append, .checksum = checksum_algorithm::xxh3}, "cannot be appended to"},
    {"deleted_overwrite", {.mode = open_mode::overwrite, .delete_on_close = true}, "only a new file"},
};

class option_refusals : public testing::Test {
 protected:
  void SetUp() override { std::ofstream{path_} << "before"; }

  // Returns the message of the error that `open` throws.
  template <typename Open>
  [[nodiscard]] std::string message_of(Open open) const {
    std::string message = "nothing was refused";
    try {
      open();
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), std::errc::invalid_argument);
      EXPECT_EQ(caught.operation(), "open");
      message = caught.what();
    }
    EXPECT_EQ(test::content_of(path_), "before");
    EXPECT_EQ(test::entries_in(directory_.path()), 1U);
    return message;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(option_refusals, of_writers_and_streams_name_the_file_and_the_reason) {
  for (const auto& each : refused_writers) {
    SCOPED_TRACE(each.name);
    EXPECT_THAT(message_of([&] {
                  writer{path_, each.options};
                }),
                testing::AllOf(HasSubstr(path_.string()), HasSubstr(each.reason)));
    EXPECT_THAT(message_of([&] {
                  ofstream out{path_, each.options};
                  EXPECT_FALSE(out.is_open());
                  if (out.last_error()) throw *out.last_error();
                }),
                HasSubstr(each.reason));
  }
}

TEST_F(option_refusals, of_descriptors) {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  for (const writer_options& each : {writer_options{.temporary = true}, writer_options{.delete_on_close = true},
                                     writer_options{.caching = caching::bypass}})
    EXPECT_THAT(message_of([&] { std::ignore = writer::on_descriptor(descriptor, ownership::borrow, each); }),
                HasSubstr("path"));
  EXPECT_THAT(message_of([&] {
                std::ignore = reader::on_descriptor(descriptor, ownership::borrow, {.caching = caching::bypass});
              }),
              HasSubstr("needs a path"));
  ::close(descriptor);
}

TEST_F(option_refusals, of_files_that_are_written_and_read) {
  constexpr auto both = std::ios_base::in | std::ios_base::out;
  for (const caching each : {caching::drop, caching::bypass}) {
    const auto refused = [&](const writer_options& writing, const reader_options& reading) {
      return message_of([&] {
        filebuf file;
        file.open(path_, both, writing, reading);
        EXPECT_FALSE(file.is_open());
        if (file.last_error()) throw *file.last_error();
      });
    };
    EXPECT_THAT(refused({.caching = each}, {}), HasSubstr("only written or only read"));
    EXPECT_THAT(refused({}, {.caching = each}), HasSubstr("only written or only read"));
  }
  // Nothing is emptied before the options of reading are known to be good.
  filebuf file;
  EXPECT_THAT(message_of([&] {
                file.open(path_, both | std::ios_base::trunc, {}, {.block = 5});
                if (file.last_error()) throw *file.last_error();
              }),
              HasSubstr("power of two"));
  const checksum sum{checksum_algorithm::xxh3, 1};
  for (const bool writes : {true, false})
    EXPECT_THAT(message_of([&] {
                  file.open(path_, both, {.checksum = writes ? sum.algorithm : checksum_algorithm::none},
                            {.expected_checksum = writes ? checksum{} : sum});
                  if (file.last_error()) throw *file.last_error();
                }),
                HasSubstr("only written or only read"));
}

TEST_F(option_refusals, of_readers) {
  for (const caching each : {caching::keep, caching::drop, caching::bypass})
    EXPECT_THAT(message_of([&] {
                  reader{path_, {.method = "buffered", .caching = each}};
                }),
                HasSubstr("the method \"auto\""));
  EXPECT_THAT(message_of([&] { reader{path_, {.block = 5}}; }), HasSubstr("power of two"));
  EXPECT_THAT(message_of([&] { reader{path_, {.depth = 65}}; }), HasSubstr("at most 64"));
}

}  // namespace
}  // namespace freshet

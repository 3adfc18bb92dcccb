#include <freshet/each_line.hpp>
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/compressing.hpp"
#include "tests/support/each_line.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using sizes = std::vector<std::size_t>;
using test::content_of;
using test::each_line_test;
using test::fill;
using test::numbered_lines;
using test::some_lines;
using test::some_lines_of;

void unchanged(std::string_view line, line_sink& out) { out.write_line(line); }
void nothing(std::string_view /*line*/, line_sink& /*out*/) {}

TEST_F(each_line_test, writes_the_results_of_the_lines_in_order) {
  const auto text = numbered_lines(100'000);
  fill(in_, text);
  const auto done = each_line(in_, out_, some_lines, {.threads = 4, .block = 10'000});
  EXPECT_EQ(content_of(out_), some_lines_of(text));
  EXPECT_EQ(done.files, 1);
  EXPECT_EQ(done.lines, 100'000);
  EXPECT_EQ(done.bytes_read, text.size());
  EXPECT_EQ(done.bytes_written, content_of(out_).size());
}

TEST_F(each_line_test, works_with_default_options) {
  const auto text = numbered_lines(200'000);
  fill(in_, text);
  each_line(in_, out_, unchanged);
  EXPECT_EQ(content_of(out_), text);
  each_line(in_, out_, nothing);
  EXPECT_EQ(content_of(out_), "");
}

TEST_F(each_line_test, writes_by_a_method_that_may_change) {
  const test::temporary_directory on_disk{test::disk_place()};
  if (!test::can_change(on_disk.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
  out_ = on_disk / "out";
  const auto text = numbered_lines(500'000);
  fill(in_, text);
  const test::forced_changes forced;
  const test::change_count changes;
  each_line(in_, out_, unchanged);
  EXPECT_GT(changes.count(), 0U);
  EXPECT_EQ(content_of(out_), text);
  const unsigned before = changes.count();
  each_line(in_, out_, unchanged, {.output = {.method = "buffered"}});
  EXPECT_EQ(changes.count(), before) << "a method that is named stays";
}

TEST_F(each_line_test, reads_and_writes_encrypted_files) {
  if (!detail::why_no_encryption().empty()) GTEST_SKIP() << detail::why_no_encryption();
  const encryption_key ours = test::key_of(1);
  const encryption_key theirs = test::key_of(2);
  for (const std::size_t lines : sizes{0, 10, 100'000}) {
    const auto text = numbered_lines(lines);
    writer sealed{in_, {.key = &ours}};
    sealed.write(text);
    sealed.close();
    const auto done =
        each_line(in_, out_, some_lines, {.threads = 4, .input = {.key = &ours}, .output = {.key = &theirs}});
    EXPECT_EQ(done.lines, lines);
    EXPECT_EQ(done.bytes_read, text.size());
    reader result{out_, {.key = &theirs}};
    EXPECT_EQ(test::text_of(result.view(std::size_t{16} << 20)), some_lines_of(text));
  }
}

TEST_F(each_line_test, reads_and_writes_compressed_files) {
  if (const auto reason = test::why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t lines : sizes{0, 10, 300'000}) {
    const auto text = numbered_lines(lines);
    test::write_compressed(in_, text);
    const auto done =
        each_line(in_, out_, some_lines, {.threads = 4, .input = test::decompressed(), .output = test::compressed()});
    EXPECT_EQ(done.lines, lines);
    EXPECT_EQ(done.bytes_read, text.size());
    EXPECT_TRUE(test::holds(out_, some_lines_of(text)));
  }
}

TEST_F(each_line_test, reads_and_writes_as_its_options_say) {
  const auto text = numbered_lines(50'000);
  fill(in_, text);
  for (const caching kind : {caching::keep, caching::drop}) {
    each_line(in_, out_, some_lines,
              {.threads = 2,
               .input = {.rate_limit = 1 << 30, .access = access::once, .caching = kind},
               .output = {.rate_limit = 1 << 30, .durability = durability::at_close, .caching = kind, .atomic = true}});
    EXPECT_EQ(content_of(out_), some_lines_of(text));
  }
}

TEST_F(each_line_test, compares_a_checksum_of_its_input) {
  for (const std::size_t lines : sizes{10, 100'000}) {
    const auto text = numbered_lines(lines);
    writer made{in_, {.checksum = checksum_algorithm::xxh3}};
    made.write(text);
    made.close();
    checksum expected = made.checksum();
    each_line(in_, out_, some_lines, {.input = {.expected_checksum = expected}});
    EXPECT_EQ(content_of(out_), some_lines_of(text));
    std::filesystem::remove(out_);
    ++expected.value;
    try {
      each_line(in_, out_, some_lines, {.input = {.expected_checksum = expected}});
      ADD_FAILURE() << "accepted";
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), std::errc::bad_message);
      EXPECT_EQ(failure.path(), in_);
    }
    EXPECT_FALSE(exists(out_)) << "of an input that is not what it should be";
  }
}

TEST_F(each_line_test, refuses_options_that_would_leave_nothing) {
  fill(in_, "1\n");
  fill(out_, "old");
  const auto expect_refused = [&](const each_line_options& options, std::string_view reason, std::size_t files = 1) {
    const std::vector<file_pair> all(files, {in_, out_});
    try {
      each_line(std::span{all}, unchanged, options);
      ADD_FAILURE() << "accepted, not refused because of " << reason;
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), std::errc::invalid_argument);
      EXPECT_NE(std::string_view{failure.what()}.find(reason), std::string_view::npos) << failure.what();
    }
    EXPECT_EQ(content_of(out_), "old");
  };
  expect_refused({.output = {.checksum = checksum_algorithm::xxh3}}, "output.checksum");
  expect_refused({.output = {.temporary = true}}, "no name");
  expect_refused({.output = {.delete_on_close = true}}, "contradicts");
  expect_refused({.input = {.expected_checksum = {checksum_algorithm::xxh3, 1}}}, "one file only", 2);
}

TEST_F(each_line_test, removes_line_ends_like_lines) {
  const auto bracketed = [](std::string_view line, line_sink& out) { out.write("[" + std::string{line} + "]"); };
  for (const std::size_t block : sizes{1, 2, 3, 100}) {
    const auto transform_text = [&](const std::string& text, bool keep_ends = false) {
      fill(in_, text);
      each_line(in_, out_, bracketed, {.threads = 2, .block = block, .keep_ends = keep_ends});
      return content_of(out_);
    };
    EXPECT_EQ(transform_text(""), "");
    EXPECT_EQ(transform_text("\n"), "[]");
    EXPECT_EQ(transform_text("\r\n"), "[]");
    EXPECT_EQ(transform_text("a\n\nb\r\n\r\nlast"), "[a][][b][][last]");
    EXPECT_EQ(transform_text("a\rb\r\r\n\rlast\r"), "[a\rb\r][\rlast\r]");
    EXPECT_EQ(transform_text(std::string{"\0\n\0", 3}), (std::string{"[\0][\0]", 6}));
    EXPECT_EQ(transform_text("a\n\r\nb\r\nc", true), "[a\n][\r\n][b\r\n][c]");
  }
}

TEST_F(each_line_test, transforms_lines_longer_than_a_block) {
  std::string text;
  for (const std::size_t length : sizes{10, 100'000, 0, 5, 300'000, 99, 100, 101, 3, 2'000'000})
    text += std::string(length, 'x') + '\n';
  fill(in_, text + "last");
  each_line(in_, out_, unchanged, {.threads = 3, .block = 100});
  EXPECT_EQ(content_of(out_), text + "last\n");
}

TEST_F(each_line_test, rejects_a_line_longer_than_allowed_and_reports_its_offset) {
  for (const std::size_t block : sizes{1, 8, 1000}) {
    fill(in_, "1234567890\n1234567890\r\n\n");
    each_line(in_, out_, unchanged, {.block = block, .longest = 11});
    for (const std::string end : {"\n", "", "\n1\n"}) {
      std::filesystem::remove(out_);
      fill(in_, "1234567890\n123\n12345678901" + end);
      try {
        each_line(in_, out_, unchanged, {.block = block, .longest = 10});
        ADD_FAILURE() << "accepted";
      } catch (const error& failure) {
        EXPECT_EQ(failure.code(), std::errc::message_size);
        EXPECT_EQ(failure.offset(), 15);
        EXPECT_EQ(failure.path(), in_);
      }
      EXPECT_FALSE(exists(out_));
    }
  }
}

TEST_F(each_line_test, input_and_output_may_be_the_same_file) {
  for (const std::size_t lines : sizes{10, 10'000}) {
    const auto text = numbered_lines(lines);
    fill(in_, text);
    each_line(in_, in_, some_lines, {.block = 1000});
    EXPECT_EQ(content_of(in_), some_lines_of(text));
  }
}

TEST_F(each_line_test, transforms_many_small_and_large_files) {
  std::vector<file_pair> files;
  for (std::size_t number = 0; number < 100; ++number) {
    const auto name = std::to_string(number);
    fill(directory_ / ("in" + name), numbered_lines(number % 10 == 0 ? 1000 : number % 7));
    files.push_back({directory_ / ("in" + name), directory_ / ("out" + name)});
  }
  const auto done = each_line(std::span{files}, some_lines, {.threads = 3, .block = 2000});
  EXPECT_EQ(done.files, files.size());
  std::uint64_t bytes_read = 0;
  for (const auto& [in, out] : files) {
    EXPECT_EQ(content_of(out), some_lines_of(content_of(in)));
    bytes_read += file_size(in);
  }
  EXPECT_EQ(done.bytes_read, bytes_read);
  EXPECT_EQ(each_line(std::span<const file_pair>{}, some_lines).files, 0);
}

TEST_F(each_line_test, reports_the_first_line_for_which_the_function_threw_and_leaves_no_output) {
  const auto text = numbered_lines(10'000);
  fill(in_, text);
  for (const std::size_t block : sizes{100, 10'000, 10'000'000})
    for (const std::string bad : {"1", "2", "4711", "10000"}) {
      const auto fails = [&](std::string_view line, line_sink& out) {
        const auto number = line.substr(0, line.find('.'));
        if (number == bad || number == "9999" || number == "10000") throw std::invalid_argument{"no good"};
        out.write_line(line);
      };
      try {
        each_line(in_, out_, fails, {.threads = 4, .block = block});
        ADD_FAILURE() << "accepted";
      } catch (const line_error& failure) {
        const auto expected = std::min(std::stoul(bad), 9999UL);
        EXPECT_EQ(failure.line(), expected);
        EXPECT_EQ(failure.path(), in_);
        EXPECT_EQ(failure.what(), "line " + std::to_string(expected) + " of '" + in_.string() + "': no good");
        EXPECT_THROW(std::rethrow_if_nested(failure), std::invalid_argument);
      }
      EXPECT_EQ(test::names_in(directory_.path()), std::vector<std::string>{"in"});
    }
}

TEST_F(each_line_test, a_rejected_output_does_not_appear) {
  for (const std::size_t size : sizes{10, 100'000}) {
    fill(in_, numbered_lines(size));
    const file_pair file{in_, out_};
    const each_line_options options{.threads = 2, .block = 10'000, .accept = [&](const file_pair& asked) {
                                      EXPECT_EQ(&asked, &file);
                                      EXPECT_FALSE(std::filesystem::exists(out_));
                                      throw std::runtime_error{"no"};
                                    }};
    EXPECT_THROW(each_line({&file, 1}, unchanged, options), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

TEST_F(each_line_test, passes_on_exceptions_that_are_not_std_exceptions) {
  struct cancelled {};
  fill(in_, numbered_lines(1000));
  for (const std::size_t block : sizes{100, 100'000})
    EXPECT_THROW(each_line(in_, out_, [](auto&&...) { throw cancelled{}; }, {.block = block}), cancelled);
  EXPECT_FALSE(exists(out_));
}

TEST_F(each_line_test, gives_each_thread_a_function_of_its_own) {
  fill(in_, numbered_lines(20'000));
  std::set<std::thread::id> makers;
  std::atomic<int> shared = 0;
  const auto make = [&] {
    EXPECT_TRUE(makers.insert(std::this_thread::get_id()).second);
    return [&, owner = std::this_thread::get_id(), busy = false](std::string_view line, line_sink& out) mutable {
      if (owner != std::this_thread::get_id() || std::exchange(busy, true)) ++shared;
      out.write_line(line);
      busy = false;
    };
  };
  each_line_with(in_, out_, make, {.threads = 4, .block = 1000});
  EXPECT_EQ(content_of(out_), content_of(in_));
  EXPECT_LE(makers.size(), 4);
  EXPECT_EQ(shared, 0);
}

TEST_F(each_line_test, its_threads_leave_signals_to_the_thread_that_called) {
  const auto is_interrupt_blocked = [] {
    ::sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    return ::sigismember(&blocked, SIGINT) == 1;
  };
  const auto caller = std::this_thread::get_id();
  std::atomic<unsigned> wrong = 0;
  fill(in_, numbered_lines(100'000));
  each_line(in_, out_,
            [&](std::string_view, line_sink&) {
              if (is_interrupt_blocked() != (std::this_thread::get_id() != caller)) ++wrong;
            },
            {.threads = 4, .block = 10'000});
  EXPECT_EQ(wrong, 0U);
  EXPECT_FALSE(is_interrupt_blocked());
}

TEST_F(each_line_test, continues_at_the_positions_of_reader_and_writer) {
  fill(in_, "head\n" + numbered_lines(1000));
  reader in{in_};
  writer out{out_};
  in.skip(5);
  out.write("before\n");
  each_line(in, out, unchanged, {.block = 100});
  out.write("after\n");
  out.close();
  EXPECT_EQ(content_of(out_), "before\n" + numbered_lines(1000) + "after\n");
}

}  // namespace
}  // namespace freshet

// Encrypting a directory of files: all strategies make the same bytes, and a failure leaves no partial file.
#include "lab/encrypt/encryption.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <freshet/error.hpp>

#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::files_in;
using test::fill;
using testing::AllOf;
using testing::HasSubstr;

constexpr strategy strategies[] = {strategy::streaming, strategy::buffering, strategy::pipelined, strategy::async};

class encrypt_files : public testing::Test {
 protected:
  encrypt_files() { fs::create_directory(in_); }

  // Encrypts `from` into a new directory and returns that directory.
  fs::path encrypt_all(const fs::path& from, const encryption_plan& plan) {
    const fs::path to = results_ / ("out " + std::to_string(++runs_));
    fs::create_directory(to);
    done_.emplace();
    const auto files = list_input(from);
    encrypt({from, to, files, plan}, *done_);
    return to;
  }
  // The message when encrypting `files` of in_ into out_ fails.
  std::string failure(const std::vector<input_file>& files, const encryption_plan& plan) {
    fs::remove_all(out_);
    fs::create_directory(out_);
    encryption_progress progress;
    try {
      encrypt({in_, out_, files, plan}, progress);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return "nothing failed";
  }

  test::temporary_directory directory_;
  fs::path in_ = directory_ / "in";
  fs::path out_ = directory_ / "out";
  fs::path results_ = directory_.path();  // of encrypt_all()
  std::optional<encryption_progress> done_;
  unsigned runs_ = 0;
};

std::uint64_t size_of(const std::map<std::string, std::string>& files) {
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : files) bytes += content.size();
  return bytes;
}

using combination = std::tuple<strategy, unsigned, stream_kind>;

class each_way : public encrypt_files, public testing::WithParamInterface<combination> {
 protected:
  encryption_plan plan(const cipher_plan& cipher) const {
    const auto [how, threads, streams] = GetParam();
    return {.cipher = cipher, .how = how, .threads = threads, .streams = streams};
  }
};

// The reference is one thread that reads line by line; its output must also decrypt to the input.
TEST_P(each_way, makes_the_same_bytes_and_decrypts_them) {
  test::make_hard_files(in_, 40);
  const auto original = files_in(in_);
  for (const cipher_kind cipher : {cipher_kind::xor_bytes, cipher_kind::aes})
    for (const unsigned work : {0U, 3U}) {
      if (cipher == cipher_kind::aes && work == 0) continue;  // nothing is encrypted
      const cipher_plan forward{.cipher = cipher, .work = work};
      const cipher_plan back{.cipher = cipher, .work = work, .decrypt = true};
      const fs::path expected = encrypt_all(in_, {.cipher = forward, .how = strategy::streaming});
      const fs::path encrypted = encrypt_all(in_, plan(forward));
      EXPECT_TRUE(files_in(encrypted) == files_in(expected)) << work;
      EXPECT_EQ(done_->files, original.size());
      EXPECT_EQ(done_->bytes_read, size_of(original));
      EXPECT_EQ(done_->bytes_written, size_of(files_in(expected)));
      EXPECT_TRUE(files_in(encrypt_all(encrypted, plan(back))) == original) << work;
      EXPECT_EQ(done_->files, original.size());
      EXPECT_EQ(done_->bytes_read, size_of(files_in(encrypted)));
      EXPECT_EQ(done_->bytes_written, size_of(original));
    }
}

INSTANTIATE_TEST_SUITE_P(all, each_way,
                         testing::Combine(testing::ValuesIn(strategies), testing::Values(1U, 3U),
                                          testing::Values(stream_kind::std, stream_kind::freshet)));

TEST_F(encrypt_files, encrypts_many_small_files) {
  test::make_hard_files(in_, 300);
  const auto expected = files_in(encrypt_all(in_, {.how = strategy::streaming}));
  for (const strategy how : {strategy::buffering, strategy::pipelined, strategy::async})
    EXPECT_TRUE(files_in(encrypt_all(in_, {.how = how, .threads = 3})) == expected);
}

TEST_F(encrypt_files, a_line_becomes_base64_with_its_carriage_return) {
  fill(in_ / "f", "ab\r\nc");
  for (const strategy how : strategies) EXPECT_EQ(files_in(encrypt_all(in_, {.how = how}))["f"], "YWIN\nYw==");
}

TEST_F(encrypt_files, allows_more_threads_than_files) {
  for (const strategy how : strategies) {
    EXPECT_TRUE(files_in(encrypt_all(in_, {.how = how, .threads = most_threads})).empty());
    fill(in_ / "f", "a\n");
    EXPECT_EQ(files_in(encrypt_all(in_, {.how = how, .threads = most_threads}))["f"], "YQ==\n");
    fs::remove(in_ / "f");
  }
}

TEST_F(encrypt_files, makes_no_output_of_a_file_that_has_changed) {
  fill(in_ / "a", "one\n");
  fill(in_ / "b", "two\n");
  for (const bool larger : {false, true})
    for (const strategy how : strategies)
      for (const stream_kind streams : {stream_kind::std, stream_kind::freshet}) {
        auto files = list_input(in_);
        files[1].size += larger ? 1 : 0;
        files[1].modified += larger ? 0 : 1;
        EXPECT_THAT(failure(files, {.how = how, .streams = streams}),
                    AllOf(HasSubstr((in_ / "b").string()), HasSubstr("changed during the run")));
        EXPECT_FALSE(fs::exists(out_ / "b"));
        EXPECT_FALSE(test::has_leftovers(out_));
      }
}

TEST_F(encrypt_files, names_a_file_that_vanished_and_completes_others) {
  test::make_hard_files(in_, 100);
  auto files = list_input(in_);
  files.insert(files.begin() + 50, {"vanished", 10, 0});
  const auto whole = files_in(encrypt_all(in_, {.how = strategy::streaming}));
  for (const strategy how : strategies) {
    EXPECT_THAT(failure(files, {.how = how, .threads = 2}), HasSubstr((in_ / "vanished").string()));
    EXPECT_FALSE(test::has_leftovers(out_));
    for (const auto& [name, content] : files_in(out_)) EXPECT_TRUE(content == whole.at(name)) << name;
  }
}

TEST_F(encrypt_files, names_the_line_that_is_not_base64) {
  fill(in_ / "good", "YQ==\n");
  fill(in_ / "not", "YQ==\nYQ==\nI am text\nYQ==\n");
  for (const strategy how : strategies)
    for (const stream_kind streams : {stream_kind::std, stream_kind::freshet}) {
      EXPECT_THAT(failure(list_input(in_), {.cipher = {.decrypt = true}, .how = how, .streams = streams}),
                  AllOf(HasSubstr((in_ / "not").string()), HasSubstr("line 3"), HasSubstr("Base64")));
      EXPECT_FALSE(fs::exists(out_ / "not"));
      EXPECT_FALSE(test::has_leftovers(out_));
    }
}

TEST_F(encrypt_files, names_a_line_longer_than_the_limit) {
  constexpr std::size_t limit = 1'000'000;
  for (const bool decrypt : {false, true}) {
    const cipher_plan cipher{.decrypt = decrypt, .longest = limit};
    const std::size_t longest = max_line_length(cipher);
    for (const bool longer : {false, true}) {
      fill(in_ / "f", "QQ==\n" + std::string(longest + (longer ? 1 : 0), 'Q') + "\nQQ==\n");
      for (const strategy how : strategies)
        for (const stream_kind streams : {stream_kind::std, stream_kind::freshet}) {
          const std::string why = failure(list_input(in_), {.cipher = cipher, .how = how, .streams = streams});
          if (longer) {
            EXPECT_THAT(why, AllOf(HasSubstr((in_ / "f").string()), HasSubstr("at offset 5"),
                                   HasSubstr("longer than " + std::to_string(longest) + " bytes")));
            EXPECT_FALSE(fs::exists(out_ / "f"));
          } else {
            EXPECT_EQ(why, "nothing failed");
          }
          EXPECT_FALSE(test::has_leftovers(out_));
        }
    }
  }
}

// std::getline() has no limit, so such a file must be read by other means.
TEST_F(encrypt_files, a_file_larger_than_the_limit_of_a_line_has_the_same_lines) {
  std::string text;
  for (std::size_t length = 16'380; length < 16'390; ++length) text += std::string(length, 'x') + "\n";
  for (const unsigned short_line : {0U, 1U, 2U}) text += std::string(short_line, 'y') + "\n";
  fill(in_ / "f", text + "end");
  constexpr cipher_plan limited{.longest = 100'000};
  ASSERT_GT(text.size(), limited.longest);
  const auto expected = files_in(encrypt_all(in_, {.how = strategy::pipelined}));
  for (const strategy how : strategies)
    for (const stream_kind streams : {stream_kind::std, stream_kind::freshet})
      EXPECT_TRUE(files_in(encrypt_all(in_, {.cipher = limited, .how = how, .streams = streams})) == expected);
}

TEST_F(encrypt_files, the_output_may_change_its_method) {
  const test::temporary_directory on_disk{test::disk_place()};
  if (!test::can_change(on_disk.path())) GTEST_SKIP() << "files are in memory only, or on overlayfs, here";
  results_ = on_disk.path();
  std::string text;
  for (int line = 0; line < 600'000; ++line) text += "a line that becomes longer\n";
  fill(in_ / "f", text);
  const auto expected = files_in(encrypt_all(in_, {.how = strategy::streaming}));
  for (const encryption_plan& plan : {encryption_plan{.how = strategy::pipelined},
                                      encryption_plan{.how = strategy::streaming, .streams = stream_kind::freshet},
                                      encryption_plan{.how = strategy::buffering, .streams = stream_kind::freshet}}) {
    const test::forced_changes forced;
    const test::change_count changes;
    EXPECT_TRUE(files_in(encrypt_all(in_, plan)) == expected);
    EXPECT_GT(changes.count(), 0U) << to_string(plan.how);
  }
}

TEST_F(encrypt_files, large_files_are_given_to_the_pipeline_if_they_are_in_memory) {
  fill(in_ / "f", std::string(4 << 20, '\n'));
  const auto large = list_input(in_);
  const strategy_choice choice = choose_strategy({in_, out_, large, {}});
  EXPECT_EQ(choice.how, strategy::pipelined);
  EXPECT_THAT(choice.why, testing::StartsWith("the files are large, so the pipeline"));
  const bool has_ring = test::why_not("uring-buffered", directory_.path()).empty();
  EXPECT_EQ(choose_strategy({in_, out_, large, {}}, true).how, has_ring ? strategy::async : strategy::pipelined);
}

TEST_F(encrypt_files, a_failed_write_or_link_is_reported_and_leaves_nothing) {
  fill(in_ / "f", std::string(100'000, 'x') + "\n");
  const auto files = list_input(in_);
  for (const strategy how : strategies)
    for (const auto& [call, why] : {std::pair{detail::os::call::write, std::errc::no_space_on_device},
                                    std::pair{detail::os::call::link, std::errc::io_error}}) {
      if (how == strategy::async && call == detail::os::call::write) continue;  // it writes by another call
      test::fault_injection faults;
      faults.fail_always(call, why);
      // At the descriptor's own position, or, where a method is at work, at an offset.
      if (call == detail::os::call::write) faults.fail_always(detail::os::call::write_at, why);
      EXPECT_THAT(failure(files, {.how = how, .streams = stream_kind::freshet}),
                  AllOf(HasSubstr((out_ / "f").string()), HasSubstr(std::make_error_code(why).message())));
      EXPECT_TRUE(fs::is_empty(out_));
    }
}

TEST_F(encrypt_files, a_failed_replacement_is_reported_and_leaves_the_earlier_file) {
  fill(in_ / "f", "x\n");
  fs::create_directory(out_);
  fill(out_ / "f", "earlier");
  const auto files = list_input(in_);
  for (const strategy how : strategies)
    for (const auto call : {detail::os::call::link, detail::os::call::rename}) {
      test::fault_injection faults;
      faults.fail_always(call, std::errc::io_error);
      encryption_progress progress;
      EXPECT_THAT(
          [&] {
            encrypt({in_, out_, files, {.how = how}}, progress);
          },
          testing::ThrowsMessage<std::exception>(HasSubstr((out_ / "f").string())));
      EXPECT_EQ(files_in(out_), (std::map<std::string, std::string>{{"f", "earlier"}}));
      EXPECT_FALSE(test::has_leftovers(out_));
    }
}

class input : public encrypt_files {
 protected:
  std::string refusal() const {
    try {
      std::ignore = list_input(in_);
    } catch (const error& problem) {
      return problem.what();
    }
    return "accepted";
  }
};

TEST_F(input, is_listed_by_name_with_links_to_files_and_without_a_manifest) {
  fill(in_ / "b", "22");
  fill(in_ / "a", "1");
  fill(in_ / manifest_name, "{}");
  fill(directory_ / "elsewhere", "333");
  fs::create_symlink(directory_ / "elsewhere", in_ / "c");
  const auto files = list_input(in_);
  ASSERT_EQ(files.size(), 3U);
  for (const std::size_t index : {0U, 1U, 2U}) {
    EXPECT_EQ(files[index].name, std::string(1, static_cast<char>('a' + index)));
    EXPECT_EQ(files[index].size, index + 1);
  }
  EXPECT_NO_THROW(require_unchanged(in_, files[2]));
}

TEST_F(input, names_the_first_entry_that_is_not_a_file) {
  fill(in_ / "a", "1");
  fs::create_directory(in_ / "z");
  EXPECT_THAT(refusal(), AllOf(HasSubstr((in_ / "z").string()), HasSubstr("irectory")));
  ASSERT_EQ(::mkfifo((in_ / "y").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), AllOf(HasSubstr((in_ / "y").string()), HasSubstr("not a regular file")));
  fs::create_symlink("nowhere", in_ / "x");
  EXPECT_THAT(refusal(), AllOf(HasSubstr((in_ / "x").string()), HasSubstr("a symbolic link to nothing")));
  fs::create_symlink("w", in_ / "w");
  EXPECT_THAT(refusal(), HasSubstr((in_ / "w").string()));
  fill(in_ / ".freshet-12.tmp", "");
  EXPECT_THAT(refusal(), HasSubstr(".freshet-12.tmp"));
}

TEST_F(input, is_named_if_it_is_missing_or_not_a_directory) {
  fill(in_ / "a", "1");
  in_ /= "a";
  EXPECT_THAT(refusal(), AllOf(HasSubstr(in_.string()), HasSubstr("Not a directory")));
  in_ = directory_ / "none";
  EXPECT_THAT(refusal(), AllOf(HasSubstr(in_.string()), HasSubstr("No such file")));
}

TEST_F(input, is_named_if_it_may_not_be_read) {
  fill(in_ / "a", "1");
  fill(in_ / "b", "1");
  fs::permissions(in_ / "b", fs::perms::none);
  fs::permissions(directory_.path(), fs::perms{0755});
  const test::ordinary_user user;
  EXPECT_THAT(refusal(), AllOf(HasSubstr((in_ / "b").string()), HasSubstr("Permission denied")));
}

TEST(shares, have_all_files_in_order_and_about_the_same_bytes) {
  std::vector<input_file> files;
  std::uint64_t bytes = 0;
  for (unsigned number = 0; number < 100; ++number) {
    files.push_back({std::to_string(1000 + number), number * std::uint64_t{1000}, 0});
    bytes += files.back().size;
  }
  for (const unsigned count : {1U, 2U, 3U, 7U, 100U, 150U}) {
    const auto shares = share_out(files, count);
    ASSERT_EQ(shares.size(), count);
    std::vector<input_file> all;
    for (const auto& share : shares) {
      EXPECT_TRUE(std::ranges::is_sorted(share, {}, &input_file::name));
      std::uint64_t size = 0;
      for (const input_file& file : share) size += file.size;
      EXPECT_LE(size, bytes / count + 100'000);
      all.insert(all.end(), share.begin(), share.end());
    }
    std::ranges::sort(all, {}, &input_file::name);
    EXPECT_TRUE(all == files);
  }
}

TEST(leftovers, are_recognized_by_their_name) {
  for (const auto* name : {".freshet-1.tmp", ".freshet-1234567.tmp"}) EXPECT_TRUE(is_leftover(name)) << name;
  for (const auto* name : {".freshet-.tmp", ".freshet-1a.tmp", "freshet-1.tmp", ".freshet-1.tmp2", ".freshet-1", ""})
    EXPECT_FALSE(is_leftover(name)) << name;
}

TEST_F(encrypt_files, tell_the_kernel_the_order_in_which_std_reads_them) {
  test::make_hard_files(in_, 3);
  const auto as_it_comes = files_in(encrypt_all(in_, {.how = strategy::streaming}));
  for (const strategy how : {strategy::streaming, strategy::buffering})
    for (const access order : {access::sequential, access::random, access::once})
      for (const std::size_t buffer : {0U, 4096U}) {
        test::fault_injection calls;
        const fs::path result = encrypt_all(in_, {.how = how, .files = {.access = order, .buffer = buffer}});
        EXPECT_EQ(calls.count(detail::os::call::advise), as_it_comes.size());
        EXPECT_EQ(files_in(result), as_it_comes) << to_string(how) << buffer;
      }
}

TEST_F(encrypt_files, hand_over_what_fills_their_buffers) {
  std::string text;
  for (int line = 0; line < 40'000; ++line) text += "a line of some length " + std::to_string(line) + '\n';
  fill(in_ / "file", text);
  const auto calls = [&](strategy how, stream_kind streams, std::size_t buffer) {
    const std::uint64_t before = read_process_counters().write_calls;
    static_cast<void>(encrypt_all(in_, {.how = how, .streams = streams, .files = {.buffer = buffer}}));
    return read_process_counters().write_calls - before;
  };
  for (const strategy how : {strategy::streaming, strategy::buffering})
    for (const stream_kind streams : {stream_kind::std, stream_kind::freshet}) {
      SCOPED_TRACE(std::string{to_string(how)} + ' ' + std::string{to_string(streams)});
      EXPECT_GT(calls(how, streams, 4096), text.size() / 4096);
      EXPECT_LT(calls(how, streams, 65536), text.size() / 16384);
    }
}

}  // namespace
}  // namespace freshet::tool

// Files that are written while allocations fail: an error of the file, or done without; never the end of the program.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/pool.hpp"
#include "tests/src/allocation/allocation_run.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using test::expect_to_survive_each;
using test::failing_allocations;
using test::works;

constexpr std::string_view passphrase_like = "0123456789abcdef0123456789abcdef";

encryption_key any_key() {
  return encryption_key{std::as_bytes(std::span<const char, encryption_key::size>{passphrase_like.data(), 32})};
}

/// One way to write a file.
struct written_file {
  std::string name;
  writer_options options = {};
  bool is_sealed = false;
  bool changes = false;       ///< from method to method
  bool is_discarded = false;  ///< at the end, instead of closed
  bool replaces = false;      ///< a file that is there before
  std::size_t large = 300'000;

  [[nodiscard]] bool is_hidden() const { return options.hidden_until_closed || options.atomic; }
  [[nodiscard]] bool is_filtered() const { return is_sealed || options.compression.format != compression_format::none; }
};

// What the operations on one file have reported so far.
class reports {
 public:
  // Makes an operation after which the file must still be what it was. Returns whether it did not throw.
  template <typename Operation>
  bool ask(Operation operation) {
    return attempt(operation, false);
  }
  // Makes an operation whose error is the file's.
  template <typename Operation>
  bool make(Operation operation) {
    return attempt(operation, true);
  }

  [[nodiscard]] bool has_failed() const { return failed_; }
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  void complain(const std::string& what) { complaint_ = complaint_.empty() ? what : complaint_ + "; " + what; }

 private:
  template <typename Operation>
  bool attempt(Operation operation, bool counts) {
    bool lacks_memory = false;
    try {
      operation();
      // Memory that came back must not make the file go on.
      if (counts && failed_) wrong_ = "an operation passed after a failed one";
      return true;
    } catch (const std::bad_alloc&) {  // for the error itself there was no memory, either
      lacks_memory = true;
    } catch (const std::system_error& failure) {
      lacks_memory = test::is_lack_of_memory(failure.code());
    } catch (...) {
      wrong_ = "another exception";
    }
    if (!lacks_memory) wrong_ = "another error";
    failed_ = failed_ || counts;
    return false;
  }

 public:
  // Where no allocation fails any more, because complaints need some.
  void conclude() {
    if (wrong_ != nullptr) complain(wrong_);
  }

 private:
  const char* wrong_ = nullptr;
  bool failed_ = false;
  std::string complaint_;
};

// Made once, before the processes that use them start.
std::string_view plain_bytes(std::size_t length) {
  static const std::string all = test::mixed_bytes(std::size_t{9} << 20);
  return std::string_view{all}.substr(0, length);
}

void write_parts(writer& out, std::string_view bytes, reports& told) {
  const auto part = [&](std::size_t length) {
    const auto front = bytes.substr(0, std::min(length, bytes.size()));
    bytes.remove_prefix(front.size());
    return front;
  };
  told.make([&] { out.put(part(1).front()); });
  for (int i = 0; i < 20; ++i) told.make([&] { out.write(part(1000)); });
  told.make([&] {
    const auto room = out.room();
    const auto text = part(std::min<std::size_t>(room.size(), 5000));
    std::memcpy(room.data(), text.data(), text.size());
    out.advance(text.size());
  });
  told.make([&] { out.flush(); });
  const std::size_t rest = bytes.size();
  told.make([&] { out.write(part(rest / 2)); });
  told.ask([&] { static_cast<void>(out.statistics()); });
  told.make([&] { out.sync(); });
  told.make([&] { out.write(part(rest)); });
}

std::string read_back(const std::filesystem::path& path, const written_file& how, const encryption_key* key) {
  if (!how.is_filtered()) return test::content_of(path);
  reader_options options;
  options.key = key;
  if (how.options.compression.format != compression_format::none)
    options.decompression = key == nullptr ? decompression::zstd : decompression::automatic;
  std::string all;
  std::error_code failure;
  reader in{path, options, failure};
  while (!failure) {
    const auto bytes = in.available(failure);
    if (bytes.empty()) break;
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    in.advance(bytes.size());
  }
  return all;
}

// Writes the file while the allocations fail; returns what is wrong.
std::string write_file(const written_file& how, std::size_t first, std::size_t last) {
  const test::temporary_directory directory{test::disk_place()};
  const auto path = directory / "file";
  const std::string_view bytes = plain_bytes(26'001 + 2 * how.large);
  const std::optional<encryption_key> key = how.is_sealed ? std::optional{any_key()} : std::nullopt;
  writer_options options = how.options;
  options.key = key ? &*key : nullptr;
  std::optional<test::forced_changes> changes;
  if (how.changes) changes.emplace();
  reports told;
  bool is_open = false;
  if (how.replaces) std::ofstream{path} << "old";
  std::error_code sticking, at_the_end;
  std::uint64_t written = 0;
  {
    const failing_allocations failing{first, last};
    writer out;
    is_open = told.make([&] { out = writer{options.temporary ? directory.path() : path, options}; });
    if (is_open) {
      told.ask([&] { out.reserve(bytes.size()); });
      write_parts(out, bytes, told);
      sticking = out.last_error();
      told.ask([&] { static_cast<void>(out.method().size()); });
      how.is_discarded ? out.discard() : static_cast<void>(told.make([&] { out.close(); }));
      at_the_end = out.last_error();
      written = out.written_bytes();
    }
  }
  told.conclude();
  if (sticking && at_the_end && sticking != at_the_end) told.complain("the first error did not stick");
  if (is_open && !how.is_discarded && told.has_failed() != static_cast<bool>(at_the_end))
    told.complain("last_error() is not what was reported: " + at_the_end.message());
  const bool is_old = how.replaces && how.is_hidden() && test::content_of(path) == "old";
  const bool is_there = !is_old && std::filesystem::exists(path);
  const bool is_visible = !options.temporary && !options.delete_on_close && options.method != "null";
  if (!is_visible && test::entries_in(directory.path()) != 0) told.complain("a file was left behind");
  if (how.is_hidden() && is_there == (told.has_failed() || how.is_discarded))
    told.complain("hidden, or visible, wrongly");
  if (how.is_hidden() && test::entries_in(directory.path()) != (is_there || is_old ? 1U : 0U))
    told.complain("a file was left");
  if (is_visible && is_there) {
    const std::string content = read_back(path, how, key ? &*key : nullptr);
    const std::string_view wanted =
        told.has_failed() || how.is_discarded ? bytes.substr(0, std::min(content.size(), bytes.size())) : bytes;
    if (content != wanted) told.complain("the content is wrong");
    if (is_open && !how.is_filtered() && !how.is_discarded && std::filesystem::file_size(path) != written)
      told.complain("written_bytes() is not the length");
  } else if (is_visible && !told.has_failed() && !how.is_discarded) {
    told.complain("there is no file");
  }
  if (test::descriptors_in(directory.path()) != 0) told.complain("a descriptor is open");
  if (detail::pool::in_use() != 0) told.complain("blocks are in use");
  return told.complaint();
}

void expect_to_survive(const written_file& how, std::size_t some = 2) {
  static_cast<void>(plain_bytes(0));
  expect_to_survive_each(
      how.name, [&](std::size_t first, std::size_t last) { return write_file(how, first, last); }, some);
}

writer_options small_blocks(std::string_view method) { return {.method = method, .block = 64 << 10, .depth = 3}; }

TEST(allocation_writing, by_each_method) {
  const test::temporary_directory place{test::disk_place()};
  for (const test::way& each : test::all_ways())
    if (works(each.method, place.path())) expect_to_survive({.name = each.name(), .options = each.options()});
  expect_to_survive({.name = "auto"});
  expect_to_survive({.name = "changing", .options = {.block = 64 << 10}, .changes = true}, 4);
  expect_to_survive({.name = "null", .options = small_blocks("null")}, 1);
}

TEST(allocation_writing, through_each_filter) {
  if (const auto reason = test::why_no_filters(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::string_view method : {"auto", "buffered", "uring"}) {
    const test::temporary_directory place{test::disk_place()};
    if (method != "auto" && !works(method, place.path())) continue;
    for (const bool changes : {false, true}) {
      if (changes && method != "auto") continue;
      const std::string name = std::string{method} + (changes ? " changing" : "");
      written_file how{
          .name = name + " sealed", .options = small_blocks(method), .is_sealed = true, .changes = changes};
      if (method == "auto") how.options.depth = 0;
      expect_to_survive(how);
      how.name = name + " compressed and sealed";
      how.options.compression = {.format = compression_format::zstd, .level = -5, .threads = 2};
      how.large = 4 << 20;
      expect_to_survive(how, 1);
      how.name = name + " compressed";
      how.is_sealed = false;
      expect_to_survive(how, 1);
      how.name = name + " with a checksum";
      how.options.compression = {};
      how.options.checksum = checksum_algorithm::xxh3;
      how.large = 300'000;
      expect_to_survive(how);
    }
  }
}

TEST(allocation_writing, with_each_kind_of_file) {
  using options = writer_options;
  const std::vector<std::pair<std::string, options>> kinds{
      {"hidden", {.hidden_until_closed = true}},
      {"atomic", {.atomic = true}},
      {"atomic by direct I/O", {.caching = caching::bypass, .atomic = true}},
      {"new and hidden", {.mode = open_mode::create_new, .hidden_until_closed = true}},
      {"temporary", {.temporary = true}},
      {"temporary, soon on disk", {.temporary = true, .temporary_memory = 100'000}},
      {"deleted on close", {.delete_on_close = true}},
      {"durable at close", {.durability = durability::at_close}},
      {"durable each write", {.durability = durability::each_write}},
      {"dropped", {.caching = caching::drop}},
      {"past the cache", {.caching = caching::bypass}},
      {"appended", {.mode = open_mode::append}},
      {"overwritten", {.mode = open_mode::overwrite}},
      {"new", {.mode = open_mode::create_new}},
      {"limited", {.rate_limit = std::uint64_t{1} << 40}}};
  const test::temporary_directory place{test::disk_place()};
  for (const auto& [name, how] : kinds) {
    if (how.caching == caching::bypass && !works("direct", place.path())) continue;
    expect_to_survive({.name = name, .options = how});
    expect_to_survive({.name = name + ", discarded", .options = how, .is_discarded = true}, 1);
  }
}

// Few allocations are made for what belongs to a file beside its bytes: each of them fails once.
TEST(allocation_writing, that_replaces_a_file) {
  constexpr std::size_t all = 1000;
  for (const bool is_atomic : {false, true}) {
    written_file how{.name = is_atomic ? "atomic" : "hidden",
                     .options = {.hidden_until_closed = !is_atomic, .atomic = is_atomic},
                     .replaces = true};
    expect_to_survive(how, all);
    if (!test::why_no_filters().empty()) continue;
    how.options.compression = {.format = compression_format::zstd, .level = -5};
    how.name += ", compressed";
    expect_to_survive(how, all);
    how.is_sealed = true;
    how.name += " and sealed";
    expect_to_survive(how, all);
  }
}

// A stream tells by its state.
std::string write_stream(bool edits, std::size_t first, std::size_t last) {
  const test::temporary_directory directory{test::disk_place()};
  const auto path = directory / "file";
  const std::string_view bytes = plain_bytes(700'000);
  bool was_open = false, is_good = false, had_error = false;
  std::string read(10, '\0');
  {
    const failing_allocations failing{first, last};
    fstream both;
    ofstream out;
    std::ostream& stream = edits ? static_cast<std::ostream&>(both) : out;
    try {
      edits ? both.open(path, std::ios::in | std::ios::out | std::ios::trunc) : out.open(path);
    } catch (const std::bad_alloc&) {  // as with the standard's: opening_test.cpp
    }
    was_open = edits ? both.is_open() : out.is_open();
    stream << 12 << ' ' << 3.5 << '\n';
    stream.seekp(0);
    stream.write(bytes.data(), 100'000).flush();
    stream.seekp(0, std::ios::end);
    stream.write(bytes.data() + 100'000, 600'000);
    if (edits) both.seekg(0).read(read.data(), 10);
    edits ? both.close() : out.close();
    is_good = stream.good();
    had_error = edits ? both.last_error().has_value() : out.last_error().has_value();
  }
  std::string complaint;
  if (is_good && test::content_of(path) != bytes) complaint += "the content is wrong; ";
  if (is_good && edits && read != bytes.substr(0, 10)) complaint += "what was read is wrong; ";
  if (is_good && had_error) complaint += "an error and a good state; ";
  // For an error at the very first there may be no memory.
  if (!is_good && !had_error && was_open) complaint += "a bad state and no error; ";
  if (test::descriptors_in(directory.path()) != 0) complaint += "a descriptor is open; ";
  if (detail::pool::in_use() != 0) complaint += "blocks are in use; ";
  return complaint;
}

TEST(allocation_writing, through_streams) {
  for (const bool edits : {false, true})
    expect_to_survive_each(
        edits ? "fstream" : "ofstream",
        [&](std::size_t first, std::size_t last) { return write_stream(edits, first, last); }, 8);
}

}  // namespace
}  // namespace freshet

// Files that are read while allocations fail: an error of the reader, or done without; never the end of the program.
#include <freshet/encryption.hpp>
#include <freshet/lines.hpp>
#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "src/base/pool.hpp"
#include "tests/src/allocation/allocation_run.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/forced_changes.hpp"
#include "tests/support/reading.hpp"

namespace freshet {
namespace {

using test::expect_to_survive_each;
using test::failing_allocations;
using test::works;

constexpr std::size_t length = 1'200'000;

/// One way to read a file.
struct read_file {
  std::string name;
  reader_options options = {};
  bool is_sealed = false;
  bool is_compressed = false;
  bool changes = false;  ///< from method to method
};

encryption_key any_key() {
  constexpr std::string_view bytes = "0123456789abcdef0123456789abcdef";
  return encryption_key{std::as_bytes(std::span<const char, encryption_key::size>{bytes.data(), bytes.size()})};
}

// Reads while allocations fail. What an operation returned must be right; what threw, must throw from then on.
class checked_reader {
 public:
  explicit checked_reader(std::string_view bytes) : bytes_{bytes} {}

  template <typename Operation>
  void make(Operation operation) {
    try {
      if (!operation()) complaint_ = "wrong bytes";
      if (failed_) complaint_ = "an operation passed after a failed one";
    } catch (const std::bad_alloc&) {
      failed_ = true;
    } catch (const std::system_error& failure) {
      if (!test::is_lack_of_memory(failure.code())) complaint_ = "another error";
      failed_ = true;
    }
  }
  [[nodiscard]] bool is_right(std::uint64_t from, std::string_view text) const {
    return bytes_.substr(from, text.size()) == text;
  }
  [[nodiscard]] bool is_right(std::uint64_t from, std::span<const std::byte> text) const {
    return is_right(from, std::string_view{reinterpret_cast<const char*>(text.data()), text.size()});
  }
  [[nodiscard]] bool has_failed() const { return failed_; }
  [[nodiscard]] const char* complaint() const { return complaint_; }
  void complain(const char* what) { complaint_ = what; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
  const char* complaint_ = "";
};

void read_parts(reader& in, checked_reader& told, std::span<char> memory) {
  const auto read = [&](std::size_t wanted) {
    const std::uint64_t from = in.tell();
    const std::size_t got = in.read(memory.first(wanted));
    return got == wanted && told.is_right(from, std::string_view{memory.data(), got});
  };
  told.make([&] {
    const char first = static_cast<char>(in.get());
    return told.is_right(0, std::string_view{&first, 1});
  });
  told.make([&] { return read(1000); });
  told.make([&] {
    const std::uint64_t from = in.tell();
    const auto view = in.view(100'000);
    return view.size() == 100'000 && told.is_right(from, view);
  });
  told.make([&] {
    const std::uint64_t from = in.tell();
    return told.is_right(from, in.view_through(std::byte{'\n'}, 200'000));
  });
  told.make([&] { return read(300'000); });
  told.make([&] { return in.skip(10'000), read(10); });
  told.make([&] { return in.seek(length - 300'000), read(200'000); });
  told.make([&] { return in.seek(5), read(70'000); });
}

// Made once, before the processes that use them start.
const std::string& all_bytes() {
  static const std::string bytes = test::mixed_bytes(length);
  return bytes;
}

std::string read(const read_file& how, std::size_t first, std::size_t last) {
  const test::temporary_directory directory{test::disk_place()};
  const auto path = directory / "file";
  const std::string& bytes = all_bytes();
  const std::optional<encryption_key> key = how.is_sealed ? std::optional{any_key()} : std::nullopt;
  {
    writer_options writing;
    writing.key = key ? &*key : nullptr;
    if (how.is_compressed) writing.compression = {.format = compression_format::zstd, .level = -5, .threads = 1};
    writer out{path, writing};
    out.write(bytes);
    out.close();
  }
  detail::pool::release_idle();
  reader_options options = how.options;
  options.key = key ? &*key : nullptr;
  if (how.is_compressed) options.decompression = key ? decompression::automatic : decompression::zstd;
  std::optional<test::forced_changes> changes;
  if (how.changes) changes.emplace();
  std::string memory(length, '\0');
  checked_reader told{bytes};
  {
    const failing_allocations failing{first, last};
    reader in;
    told.make([&] { return in = reader{path, options}, true; });
    if (!told.has_failed()) {
      read_parts(in, told, memory);
      if (told.has_failed() != static_cast<bool>(in.last_error())) told.complain("last_error() does not tell");
      try {
        static_cast<void>(in.statistics());
      } catch (const std::bad_alloc&) {  // as documented
      }
      try {
        in.close();
      } catch (const std::exception&) {  // as before
      }
    }
  }
  std::string complaint = told.complaint();
  if (test::descriptors_in(directory.path()) != 0) complaint += "a descriptor is open; ";
  if (detail::pool::in_use() != 0) complaint += "blocks are in use; ";
  return complaint;
}

void expect_to_survive(const read_file& how, std::size_t some = 2) {
  static_cast<void>(all_bytes());
  expect_to_survive_each(
      how.name, [&](std::size_t first, std::size_t last) { return read(how, first, last); }, some);
}

TEST(allocation_reading, by_each_method) {
  const test::temporary_directory place{test::disk_place()};
  for (const std::string_view each : test::reading_methods)
    if (works(each, place.path()))
      expect_to_survive({.name = std::string{each}, .options = {.method = each, .block = 64 << 10, .depth = 3}}, 4);
  expect_to_survive({.name = "auto"}, 4);
  expect_to_survive({.name = "changing", .options = {.method = "adaptive", .block = 64 << 10}, .changes = true}, 4);
  for (const caching kind : {caching::drop, caching::bypass})
    if (kind == caching::drop || works("direct", place.path()))
      expect_to_survive({.name = "with caching", .options = {.caching = kind}}, 4);
}

TEST(allocation_reading, through_each_filter) {
  if (const auto reason = test::why_no_filters(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::string_view method : {"auto", "adaptive", "mmap"})
    for (const bool changes : {false, true}) {
      if (changes != (method == "adaptive")) continue;
      const std::string name{method};
      read_file how{.name = name + " sealed", .options = {.method = method}, .is_sealed = true, .changes = changes};
      expect_to_survive(how);
      how.name = name + " compressed and sealed";
      how.is_compressed = true;
      expect_to_survive(how);
      how.name = name + " compressed";
      how.is_sealed = false;
      expect_to_survive(how);
    }
}

TEST(allocation_reading, by_lines_and_streams) {
  const auto count_lines = [](std::size_t first, std::size_t last) -> std::string {
    const test::temporary_directory directory;
    const auto path = directory / "file";
    std::ofstream{path} << std::string(9'999, 'a') << '\n' << std::string(200'000, 'b') << "\nend\n";
    const char* complaint = "";
    {
      const failing_allocations failing{first, last};
      std::size_t characters = 0;
      bool failed = false;
      try {
        for (const std::string_view line : lines{path}) characters += line.size();
      } catch (const std::exception&) {
        failed = true;
      }
      if (!failed && characters != 210'002) complaint = "wrong lines";
      ifstream in;
      std::string line;
      try {
        in.open(path);
      } catch (const std::bad_alloc&) {  // as with the standard's: opening_test.cpp
      }
      characters = 0;
      try {
        while (std::getline(in, line)) characters += line.size();
      } catch (const std::exception&) {
        complaint = "the stream threw";
      }
      in.clear();
      in.seekg(3);
      if (!in.last_error() && !in.bad() && in.is_open() && characters > 210'002) complaint = "wrong characters";
    }
    return complaint;
  };
  expect_to_survive_each("lines", count_lines, 8);
}

}  // namespace
}  // namespace freshet

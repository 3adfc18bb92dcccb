#include "src/os/interceptor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

#include "src/os/directory.hpp"
#include "src/os/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using test::fault_injection;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

class os_interceptor : public testing::Test {
 protected:
  // Makes a new file that contains "abc".
  file make() {
    file opened = file::open(path_, {.creation = open_request::disposition::truncate, .read = true}, error_);
    EXPECT_EQ(opened.write_at(bytes_of("abc"), 0, error_), 3U);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }
  static std::string content_of(file& from) {
    std::error_code error;
    std::string text(100, '\0');
    text.resize(from.read_at(std::as_writable_bytes(std::span{text}), 0, error));
    EXPECT_FALSE(error) << error.message();
    return text;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "f";
  std::error_code error_;
};

TEST_F(os_interceptor, without_an_interceptor_calls_are_just_made) {
  ASSERT_EQ(intercept(nullptr), nullptr);
  intercepted_call next{call::write, no_native_handle, 4, 5};
  EXPECT_FALSE(ask_interceptor(next));
  EXPECT_EQ(next.length, 5U);
}

// For every kind of call of a file: an error from the interceptor is reported, and the call is not made.
using std::filesystem::path;

struct refused_call {
  call kind;
  void (*make)(file&, const path&, std::error_code&);
};

const refused_call refused_calls[] = {
    {call::open, [](file&, const path& name, std::error_code& error) { std::ignore = file::open(name, {}, error); }},
    {call::write, [](file& f, const path&, std::error_code& error) { EXPECT_EQ(f.write(bytes_of("x"), error), 0U); }},
    {call::write_at,
     [](file& f, const path&, std::error_code& error) { EXPECT_EQ(f.write_at(bytes_of("x"), 0, error), 0U); }},
    {call::write_dontcache,
     [](file& f, const path&, std::error_code& error) { EXPECT_EQ(f.write_dontcache(bytes_of("x"), 0, error), 0U); }},
    {call::read,
     [](file& f, const path&, std::error_code& error) {
       std::byte one{7};
       EXPECT_EQ(f.read({&one, 1}, error), 0U);
       EXPECT_EQ(one, std::byte{7});
     }},
    {call::seek, [](file& f, const path&, std::error_code& error) { f.set_position(1, error); }},
    {call::read_at,
     [](file& f, const path&, std::error_code& error) {
       std::byte one{7};
       EXPECT_EQ(f.read_at({&one, 1}, 0, error), 0U);
       EXPECT_EQ(one, std::byte{7});
     }},
    {call::preallocate, [](file& f, const path&, std::error_code& error) { f.preallocate(0, 1 << 20, error); }},
    {call::free_preallocation, [](file& f, const path&, std::error_code& error) { f.free_preallocation(1, error); }},
    {call::set_size, [](file& f, const path&, std::error_code& error) { f.set_size(1, error); }},
    {call::sync_data, [](file& f, const path&, std::error_code& error) { f.sync_data(error); }},
    {call::sync_file, [](file& f, const path&, std::error_code& error) { f.sync(error); }},
    {call::sync_file, [](file& f, const path&, std::error_code& error) { sync_file_system(f, error); }},
    {call::sync_directory,
     [](file&, const path& name, std::error_code& error) { detail::os::sync_directory(name.parent_path(), error); }},
    {call::start_writeback, [](file& f, const path&, std::error_code& error) { f.start_writeback(0, 1, error); }},
    {call::wait_writeback, [](file& f, const path&, std::error_code& error) { f.wait_writeback(0, 1, error); }},
    {call::advise, [](file& f, const path&, std::error_code& error) { f.advise(advice::random, 0, 0, error); }},
    {call::map,
     [](file& f, const path&, std::error_code& error) { EXPECT_TRUE(mapping::map(f, 0, 3, error).bytes().empty()); }},
    {call::map, [](file& f, const path&,
                   std::error_code& error) { EXPECT_TRUE(mapping::map_to_read(f, 0, 3, error).bytes().empty()); }},
    {call::sync_map,
     [](file& f, const path&, std::error_code& error) {
       const auto mapped = mapping::map(f, 0, 3, error);
       EXPECT_FALSE(error);
       mapped.sync(error);
     }},
    {call::set_direct,
     [](file& f, const path&, std::error_code& error) {
       f.set_direct(true, error);
       EXPECT_FALSE(f.is_direct());
     }},
    {call::set_attributes,
     [](file&, const path& name, std::error_code& error) {
       std::error_code opening;
       const auto place = directory::open(name.parent_path(), opening);
       path other = name.filename();
       other += ".other";
       const file target = place.open_file(other.native(), {.permissions = 0400}, opening);
       place.remove(other.native(), opening);
       EXPECT_FALSE(place.copy_attributes(name.filename().native(), target, error));
     }},
    {call::status, [](file& f, const path&, std::error_code& error) { EXPECT_EQ(f.status(error).size, 0U); }},
    {call::status, [](file& f, const path&, std::error_code& error) { EXPECT_TRUE(f.extents(error).empty()); }},
    {call::status, [](file& f, const path&, std::error_code& error) { EXPECT_EQ(f.cached(error).pages, 0U); }},
    {call::status,
     [](file&, const path& name, std::error_code& error) { std::ignore = detail::os::status_of(name, error); }},
    {call::status, [](file&, const path& name, std::error_code& error) { detail::os::require_readable(name, error); }},
    {call::lock, [](file& f, const path&, std::error_code& error) { f.lock(error); }},
    {call::open_directory,
     [](file&, const path& name, std::error_code& error) { std::ignore = directory::open(name.parent_path(), error); }},
    {call::link,
     [](file& f, const path& name, std::error_code& error) {
       std::error_code opening;
       auto link = name.filename();
       link += ".link";
       directory::open(name.parent_path(), opening).link(f, name.filename().native(), link.native(), error);
     }},
    {call::rename,
     [](file&, const path& name, std::error_code& error) { detail::os::rename(name, name.string() + ".new", error); }},
    {call::remove, [](file&, const path& name, std::error_code& error) { detail::os::remove(name, error); }},
};

TEST_F(os_interceptor, a_refused_call_reports_and_does_nothing) {
  for (const refused_call& each : refused_calls) {
    SCOPED_TRACE(static_cast<int>(each.kind));
    file target = make();
    const std::uint64_t allocated = target.status(error_).allocated;
    {
      fault_injection faults;
      faults.fail(each.kind, 1, std::errc::io_error);
      each.make(target, path_, error_);
      EXPECT_EQ(error_, std::errc::io_error);
      EXPECT_EQ(faults.count(each.kind), 1U);
    }
    EXPECT_EQ(content_of(target), "abc");
    EXPECT_EQ(target.status(error_).allocated, allocated);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory_.path()}, {}), 1);
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
}

TEST_F(os_interceptor, a_shortened_call_moves_only_so_much) {
  file target = make();
  target.set_size(0, error_);
  fault_injection faults;
  faults.shorten(call::write, 1, 2);
  faults.shorten(call::write_at, 1, 3);
  faults.shorten(call::read_at, 1, 1);
  EXPECT_EQ(target.write(bytes_of("abcdef"), error_), 2U);
  EXPECT_EQ(target.write_at(bytes_of("vwxyz"), 1, error_), 3U);
  std::array<std::byte, 4> read{};
  EXPECT_EQ(target.read_at(read, 0, error_), 1U);
  EXPECT_EQ(read[0], std::byte{'a'});
  EXPECT_EQ(read[1], std::byte{0});
  EXPECT_EQ(content_of(target), "avwx");
}

TEST_F(os_interceptor, direct_alignment_is_unknown_where_the_kernel_does_not_say) {
  const file target = make();
  fault_injection faults;
  faults.fail_always(call::status, std::errc::function_not_supported);
  EXPECT_FALSE(target.direct_alignment().has_value());
}

TEST_F(os_interceptor, sees_where_and_how_much) {
  file target = make();
  fault_injection faults;
  target.write_at(bytes_of("defg"), 7, error_);
  const auto seen = faults.seen(call::write_at);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].descriptor, target.descriptor());
  EXPECT_EQ(seen[0].offset, 7U);
  EXPECT_EQ(seen[0].length, 4U);
}

TEST_F(os_interceptor, nested_ones_give_the_place_back) {
  file target = make();
  fault_injection outer;
  {
    fault_injection inner;
    target.sync_data(error_);
    EXPECT_EQ(inner.count(call::sync_data), 1U);
  }
  EXPECT_EQ(outer.count(call::sync_data), 0U);
  target.sync_data(error_);
  EXPECT_EQ(outer.count(call::sync_data), 1U);
}

TEST_F(os_interceptor, random_faults_hit_some_and_keep_to_their_unit) {
  file target = make();
  fault_injection faults;
  faults.fail_sometimes(call::write_at, 0.5, std::errc::interrupted);
  faults.shorten_sometimes(call::write_at, 0.5, 8);
  int failed = 0;
  int shortened = 0;
  for (int i = 0; i < 200; ++i) {
    const std::size_t taken = target.write_at(bytes_of(std::string(64, 'x')), 0, error_);
    failed += error_ == std::errc::interrupted ? 1 : 0;
    shortened += !error_ && taken < 64 ? 1 : 0;
    EXPECT_EQ(taken % 8, 0U);
    EXPECT_EQ(taken == 0, static_cast<bool>(error_));
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 200);
  EXPECT_GT(shortened, 0);
  EXPECT_LT(failed + shortened, 200);
}

TEST_F(os_interceptor, delays_before_the_call_is_made) {
  file target = make();
  fault_injection faults;
  faults.delay(call::sync_data, 1, std::chrono::milliseconds{20});
  const auto start = std::chrono::steady_clock::now();
  target.sync_data(error_);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{20});
}

}  // namespace
}  // namespace freshet::detail::os

// What only makes files faster, refused: no file fails for it, and the registry says which methods do without.
#include <freshet/methods.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/refusals/seam_calls.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/file_trial.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trial_options.hpp"

namespace freshet::test {
namespace {

const system_call written_behind{SYS_sync_file_range, "sync_file_range"};
const system_call advised{SYS_fadvise64, "fadvise64"};
const system_call written_uncached{SYS_pwritev2, "pwritev2(RWF_DONTCACHE)", {seam::has_flags(5, seam::dontcache)}};
const system_call allocated{SYS_fallocate, "fallocate"};
const system_call turned_direct{
    SYS_fcntl, "fcntl(F_SETFL, O_DIRECT)", {{1, ~0U, F_SETFL}, seam::has_flags(2, O_DIRECT)}};

TEST(refused_hints, never_fail_a_file) {
  const temporary_directory place{disk_place()};
  const auto directory = place / "files";
  std::filesystem::create_directory(directory);
  std::vector<file_trial> trials = all_trials();
  std::erase_if(trials, [](const file_trial& each) {
    const bool hints = each.writing.access != access::sequential || each.reading.access != access::sequential ||
                       each.writing.reserve != 0 || !each.profile.empty();
    return !hints || !each.must_work();
  });
  ASSERT_GT(trials.size(), 10U);
  for (const system_call& call : {written_behind, advised, written_uncached, allocated, turned_direct})
    for (const int error : {EPERM, ENOSYS})
      for (const file_trial& each : sample(trials, 5)) {
        const verdict got = try_surrounded(each, directory, [&] { return refuse_call(call, error); });
        EXPECT_EQ(got.what, outcome::works)
            << call.name << ' ' << std::strerror(error) << ", " << each.label() << ": " << got.message;
      }
}

TEST(refused_hints, are_why_methods_do_not_work) {
  const temporary_directory place{disk_place()};
  const std::vector<std::pair<std::string_view, system_call>> needs{{"writebehind", written_behind},
                                                                    {"writebehind", advised},
                                                                    {"dontcache", written_uncached},
                                                                    {"direct", turned_direct},
                                                                    {"uring", {SYS_io_uring_enter, "io_uring_enter"}},
                                                                    {"libaio", {SYS_io_submit, "io_submit"}},
                                                                    {"libaio", {SYS_io_getevents, "io_getevents"}}};
  for (const auto& need : needs)
    for (const int error : {EPERM, ENOSYS})
      EXPECT_TRUE(true_in_child([&] {
        if (!refuse_call(need.second, error)) return false;
        const auto known = methods(place.path());
        const auto found = std::ranges::find(known, need.first, &method_info::name);
        return found != known.end() && !found->available();
      })) << need.first
          << " without " << need.second.name;
}

// Dropped pages are a promise, so open() refuses it; what the file held is still there then.
TEST(refused_hints, leave_a_file_its_content_where_pages_cannot_be_dropped) {
  const temporary_directory place{disk_place()};
  const auto path = place / "file";
  for (const system_call& call : {written_behind, advised}) {
    std::ofstream{path} << "before";
    EXPECT_TRUE(true_in_child([&] {
      if (!refuse_call(call, EPERM)) return false;
      try {
        const writer out{path, {.caching = caching::drop}};
      } catch (const error& caught) {
        return caught.code() == std::errc::operation_not_supported;
      }
      return false;
    })) << call.name;
    EXPECT_EQ(content_of(path), "before") << call.name;
  }
}

}  // namespace
}  // namespace freshet::test

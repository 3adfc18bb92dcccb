// How much text files hold, and how much it becomes.
#include <gtest/gtest.h>

#include <vector>

#include "lab/encrypt/encryption.hpp"
#include "lab/encrypt/input_files.hpp"
#include "tests/lab/encrypt/encrypt_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::tool {
namespace {

TEST(count_text, knows_what_lines_become) {
  const test::temporary_directory place;
  test::make_hard_files(place.path(), 60);
  const test::temporary_directory out;
  const std::vector<input_file> files = list_input(place.path());
  const text_volume volume = count_text(place.path(), files);
  encryption_progress done;
  encrypt({place.path(), out.path(), files, {.how = strategy::streaming}}, done);
  EXPECT_EQ(volume.files, files.size());
  EXPECT_EQ(volume.bytes, done.bytes_read);
  EXPECT_EQ(volume.bytes_out, done.bytes_written);
  EXPECT_EQ(count_text(place.path(), {}), text_volume{});
}

}  // namespace
}  // namespace freshet::tool

// Visits of real file systems on a loop file.
#include "lab/filesystems/visit.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <freshet/error.hpp>

#include "lab/filesystems/loop_file.hpp"
#include "lab/filesystems/mounting.hpp"
#include "lab/filesystems/real_device.hpp"
#include "lab/filesystems/volume_search.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tool/base/place.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// Memory stays as it is: how fast trials are is no matter here.
class untouched_memory : public memory_preparation {
  void provide(memory_state, std::uint64_t) override {}
};

class visits : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making and mounting file systems takes root";
    keep_mounts_private();
    fs::create_directory(mount_point_);
    image_.emplace(directory_ / "image", 384 * mebibyte);
    runner_.emplace(image_->device(), mount_point_, std::make_shared<untouched_memory>());
    setup_.volumes = {"ext4"};
    setup_.size = 8 * mebibyte;
    setup_.small_files = 300;
    setup_.synced_blocks = 16;
  }

  [[nodiscard]] visit run(const std::string& volume) {
    return runner_->run(volume, survey_plans(setup_, make_plan(setup_, volume_goal::large, "buffered", volume)));
  }

  test::temporary_directory directory_;
  fs::path mount_point_ = directory_ / "mounted";
  std::optional<loop_file> image_;
  std::optional<volume_runner> runner_;
  volume_search_setup setup_;
};

TEST_F(visits, measure_all_of_each_file_system) {
  for (const std::string volume : {"ext4, noatime", "xfs -d agcount=4", "btrfs -m single"}) {
    const visit done = run(volume);
    EXPECT_GT(done.times.mkfs, 0);
    EXPECT_GT(done.times.mount, 0);
    EXPECT_GT(done.times.umount, 0);
    ASSERT_EQ(done.trials.size(), 4U);
    for (const trial_result& trial : done.trials) {
      EXPECT_FALSE(trial.wrong_content) << volume << ": " << describe(trial.plan);
      EXPECT_EQ(trial.plan.volume, volume);
      EXPECT_GT(trial.seconds_to_disk, 0);
      EXPECT_GT(trial.bytes_compared, 0U);
    }
    EXPECT_EQ(done.trials[0].bytes, setup_.size);
    EXPECT_GE(done.trials[0].extents.value_or(0), 1U);
    EXPECT_GE(done.trials[0].device_bytes.value_or(0), setup_.size) << volume << ": the device of the volume is seen";
    EXPECT_EQ(done.trials[1].bytes_cached.value_or(1), 0U) << "read cold";
    EXPECT_EQ(done.trials[2].bytes, setup_.small_files * small_file_size);
    EXPECT_EQ(done.trials[3].plan.measured_class, io_class::each_write);
    EXPECT_TRUE(fs::is_empty(mount_point_)) << "unmounted";
  }
  EXPECT_GT(runner_->bytes_written(), 3 * setup_.size);
}

TEST_F(visits, make_and_mount_the_file_system_as_its_name_says) {
  ASSERT_NO_THROW((void)runner_->run("xfs -d agcount=4, noatime", {}));
  std::ifstream super{image_->device(), std::ios::binary};
  std::string block(512, '\0');
  super.read(block.data(), static_cast<std::streamsize>(block.size()));
  EXPECT_EQ(block.substr(0, 4), "XFSB");
  EXPECT_EQ(block.substr(88, 4), std::string({0, 0, 0, 4})) << "sb_agcount";
}

TEST_F(visits, say_what_mkfs_and_the_kernel_have_against_a_volume) {
  const auto reason = [&](const std::string& volume) -> std::string {
    try {
      (void)runner_->run(volume, {});
    } catch (const error& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_THAT(reason("xfs -l size=1m"), AllOf(HasSubstr("mkfs.xfs"), HasSubstr("-l size")));
  EXPECT_THAT(reason("xfs, osyncisdsync"), AllOf(HasSubstr("mount xfs"), HasSubstr("osyncisdsync")));
  EXPECT_EQ(reason("xfs"), "") << "what was refused does not stand in the way of others";
}

TEST_F(visits, age_file_systems) {
  (void)runner_->run("ext4", {});
  mounted_volume mounted{image_->device(), mount_point_, "ext4", {}};
  age(mounted.path(), 1, 16 * mebibyte);
  const detail::os::file_system now = file_system_at(mounted.path());
  const double used = static_cast<double>(now.total - now.available) / static_cast<double>(now.total);
  EXPECT_GE(used, aged_share - 0.02);
  EXPECT_LE(used, 0.97);
  EXPECT_GE(now.available, 8 * mebibyte);
  mounted.unmount();
}

TEST_F(visits, measure_aged_file_systems_too) {
  const visit done = run("ext4, aged");
  ASSERT_EQ(done.trials.size(), 4U);
  EXPECT_EQ(done.trials[0].bytes, setup_.size / 2) << "there is less room";
  for (const trial_result& trial : done.trials) EXPECT_TRUE(is_aged(trial.plan.volume));
}

TEST_F(visits, use_a_loop_device_with_direct_io_that_discards_nothing) {
  const std::string name = fs::path{image_->device()}.filename();
  EXPECT_EQ(read_first_line("/sys/block/" + name + "/loop/dio"), "1");
  EXPECT_EQ(read_first_line("/sys/block/" + name + "/queue/discard_max_bytes"), "0");
  (void)runner_->run("ext4", {});
  struct stat status = {};
  ASSERT_EQ(::stat((directory_ / "image").c_str(), &status), 0);
  EXPECT_GE(static_cast<std::uint64_t>(status.st_blocks) * 512, 384 * mebibyte) << "mkfs punched holes into the file";
}

TEST_F(visits, do_not_begin_on_a_device_that_somebody_uses_meanwhile) {
  const int others = ::open(image_->device().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
  ASSERT_GE(others, 0);
  EXPECT_THROW((void)runner_->run("ext4", {}), error);
  ::close(others);
}

TEST_F(visits, leave_no_device_behind) {
  const std::string name = fs::path{image_->device()}.filename();
  (void)runner_->run("ext4", {});
  const std::string file = read_first_line("/sys/block/" + name + "/loop/backing_file");
  EXPECT_EQ(file, (directory_ / "image").string());
  runner_.reset();
  image_.reset();
  EXPECT_NE(read_first_line("/sys/block/" + name + "/loop/backing_file"), file);
}

TEST_F(visits, are_not_seen_by_other_processes) {
  (void)runner_->run("ext4", {});
  const mounted_volume mounted{image_->device(), mount_point_, "ext4", {}};
  const auto lists = [&](const std::string& mounts) {
    std::ifstream in{mounts};
    return std::string{std::istreambuf_iterator<char>{in}, {}}.find(mount_point_.string()) != std::string::npos;
  };
  EXPECT_TRUE(lists("/proc/self/mountinfo"));
  EXPECT_FALSE(lists("/proc/" + std::to_string(::getppid()) + "/mountinfo"));
}

}  // namespace
}  // namespace freshet::tool

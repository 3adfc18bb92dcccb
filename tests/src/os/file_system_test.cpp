#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "src/os/mount_table.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::detail::os {
namespace {

using test::fault_injection;
using test::temporary_directory;

file open_in(const std::filesystem::path& directory) {
  std::error_code error;
  file opened = file::open(directory / "f", {.read = true}, error);
  EXPECT_FALSE(error) << error.message();
  return opened;
}

TEST(mount_table, reads_every_field) {
  const auto entry = parse_mount(
      R"(36 35 98:1 /sub /mnt/two\040words\134 rw,noatime shared:1 master:2 - ext4 /dev/my\011disk rw,errors=continue)");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->id, 36U);
  EXPECT_EQ(entry->major, 98U);
  EXPECT_EQ(entry->minor, 1U);
  EXPECT_EQ(entry->mount_point, "/mnt/two words\\");
  EXPECT_EQ(entry->options, "rw,noatime,errors=continue");
  EXPECT_EQ(entry->type, "ext4");
  EXPECT_EQ(entry->source, "/dev/my\tdisk");
}

TEST(mount_table, refuses_what_is_no_entry) {
  for (const std::string_view line : {"", " - ", "36 35 98:0 / /mnt rw", "36 35 98:0 / /mnt - ext4 /dev/x rw",
                                      "36 35 98:0 / /mnt rw - ext4", "x 35 98:0 / /mnt rw - ext4 /dev/x rw",
                                      "36 35 98 / /mnt rw - ext4 /dev/x rw", "36 35 98:y / /mnt rw - ext4 /dev/x rw"}) {
    EXPECT_FALSE(parse_mount(line)) << line;
  }
}

RC_GTEST_PROP(mount_table, takes_any_line, (const std::string& name)) {
  RC_ASSERT(!parse_mount(name) || name.find(" - ") != std::string::npos);
  std::string escaped;
  for (const char each : name) {
    const auto code = static_cast<unsigned char>(each);
    const char digits[] = {'\\', static_cast<char>('0' + code / 64), static_cast<char>('0' + code / 8 % 8),
                           static_cast<char>('0' + code % 8)};
    escaped.append(digits, sizeof digits);
  }
  const auto entry = parse_mount("1 2 3:4 / /" + escaped + " rw - tmpfs none rw");
  RC_ASSERT(entry.has_value());
  RC_ASSERT(entry->mount_point == "/" + name);
}

TEST(os_file_system, tells_of_the_one_a_directory_is_on) {
  const temporary_directory directory;
  std::error_code error;
  const file inside = open_in(directory.path());
  const file_system mounted = file_system_of(directory.path(), error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_FALSE(mounted.type.empty());
  // In a changed root, the mount may be invisible.
  EXPECT_EQ(mounted.mount_options.find('r') == std::string::npos, mounted.mount_point.empty());
  EXPECT_GT(mounted.available, 0U);
  EXPECT_GE(mounted.total, mounted.available);
  EXPECT_EQ(mounted.device, inside.status(error).device);
  EXPECT_TRUE(std::filesystem::canonical(directory.path()).native().starts_with(mounted.mount_point));
  EXPECT_EQ(mounted.key, file_system_key(inside));
  EXPECT_NE(mounted.key.find(':'), std::string::npos);
  EXPECT_EQ(mounted.device_name.empty(), !read_device_counters(mounted.device_name).has_value());

  const file_system of_file = file_system_of(directory / "f", error);
  EXPECT_FALSE(error);
  EXPECT_EQ(of_file.key, mounted.key);
  EXPECT_EQ(of_file.mount_point, mounted.mount_point);
}

TEST(os_file_system, the_empty_path_is_the_current_directory) {
  std::error_code error;
  EXPECT_EQ(file_system_of("", error).key, file_system_of(std::filesystem::current_path(), error).key);
  EXPECT_FALSE(error);
}

TEST(os_file_system, has_a_type_where_no_mount_is_visible) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the root takes root";
  const temporary_directory directory;
  std::error_code error;
  const std::string usual = file_system_of(directory.path(), error).type;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool inside = ::chroot(directory.path().c_str()) == 0 && ::chdir("/") == 0;
    ::_exit(inside && file_system_of("/", error).type == usual ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(os_file_system, reports_a_missing_path) {
  const temporary_directory directory;
  std::error_code error;
  EXPECT_EQ(file_system_of(directory / "missing", error).key, "");
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

TEST(os_file_system, reports_what_the_kernel_refuses) {
  const temporary_directory directory;
  for (const call kind : {call::open, call::status}) {
    fault_injection faults;
    faults.fail(kind, 1, std::errc::permission_denied);
    std::error_code error;
    EXPECT_EQ(file_system_of(directory.path(), error).key, "");
    EXPECT_EQ(error, std::errc::permission_denied);
  }
}

TEST(os_file_system, has_a_key_where_nobody_tells_a_uuid) {
  const temporary_directory directory;
  const file inside = open_in(directory.path());
  fault_injection faults;
  faults.fail_always(call::status, std::errc::inappropriate_io_control_operation);
  const std::string key = file_system_key(inside);
  EXPECT_FALSE(key.starts_with("uuid:"));
  EXPECT_GT(key.find(':'), 0U);
  EXPECT_EQ(key, file_system_key(inside));
}

TEST(os_file_system, memory_is_the_same_after_a_boot) {
  struct statfs status {};
  constexpr auto tmpfs = 0x01021994;
  if (::statfs("/dev/shm", &status) != 0 || status.f_type != tmpfs) GTEST_SKIP() << "/dev/shm is no tmpfs";
  std::error_code error;
  const file_system memory = file_system_of("/dev/shm", error);
  EXPECT_EQ(memory.key, "tmpfs:memory");
  EXPECT_EQ(memory.type, "tmpfs");
  EXPECT_EQ(memory.device_name, "");
}

TEST(os_device, has_no_counters_where_it_does_not_exist) {
  EXPECT_FALSE(read_device_counters(""));
  EXPECT_FALSE(read_device_counters("no-such-device"));
}

// A file system in an image file, mounted with a loop device; needs root.
class mounted_image {
 public:
  explicit mounted_image(const std::string& type) : point_{directory_ / "a mount"} {
    const std::filesystem::path image = directory_ / "image";
    std::filesystem::create_directory(point_);
    std::ofstream{image}.close();
    std::filesystem::resize_file(image, std::uintmax_t{300} << 20);
    const std::string make = type == "btrfs"  ? "mkfs.btrfs -q -U "
                             : type == "ext4" ? "mkfs.ext4 -q -U "
                                              : "mkfs.xfs -q -m uuid=";
    is_mounted_ = run(make + uuid() + " '" + image.string() + "'") &&
                  run("mount -o loop,noatime '" + image.string() + "' '" + point_.string() + "'");
  }
  mounted_image(const mounted_image&) = delete;
  mounted_image& operator=(const mounted_image&) = delete;
  ~mounted_image() {
    if (is_mounted_) ::umount2(point_.c_str(), MNT_DETACH);
  }

  explicit operator bool() const noexcept { return is_mounted_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return point_; }

  // A UUID for this test alone: the kernel does not mount two of the same UUID, and tests run at the same time.
  [[nodiscard]] static std::string uuid() {
    const std::string process = std::to_string(::getpid());
    return "01234567-89ab-cdef-0123-" + std::string(12 - process.size(), '0') + process;
  }

 private:
  static bool run(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
  }

  temporary_directory directory_;
  std::filesystem::path point_;
  bool is_mounted_ = false;
};

class os_mounted : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting takes root";
    image_.emplace(GetParam());
    if (!*image_) GTEST_SKIP() << "no " << GetParam() << " to be made and mounted here";
  }
  std::optional<mounted_image> image_;
  std::error_code error_;
};

TEST_P(os_mounted, is_known_by_its_uuid_and_device) {
  const file_system mounted = file_system_of(image_->path(), error_);
  ASSERT_FALSE(error_) << error_.message();
  EXPECT_EQ(mounted.key, "uuid:" + mounted_image::uuid());
  EXPECT_EQ(mounted.type, GetParam());
  EXPECT_EQ(mounted.mount_point, std::filesystem::canonical(image_->path()));
  EXPECT_NE(mounted.mount_options.find("noatime"), std::string::npos);
  EXPECT_TRUE(mounted.device_name.starts_with("loop")) << mounted.device_name;
}

// The UUID of ext4 is known only from udev's names.
class os_mounted_with_uuid : public os_mounted {};

TEST_P(os_mounted_with_uuid, is_known_to_older_kernels) {
  const file inside = open_in(image_->path());
  fault_injection faults;
  faults.fail(call::status, 1, std::errc::inappropriate_io_control_operation);
  EXPECT_EQ(file_system_key(inside), "uuid:" + mounted_image::uuid());
}

TEST_P(os_mounted, its_device_counts_what_is_written) {
  const std::string device = file_system_of(image_->path(), error_).device_name;
  file target = open_in(image_->path());
  const auto before = read_device_counters(device);
  ASSERT_TRUE(before);
  const std::vector<std::byte> bytes(4 << 20, std::byte{'x'});
  EXPECT_EQ(target.write_at(bytes, 0, error_), bytes.size());
  sync_file_system(target, error_);
  EXPECT_FALSE(error_);
  const auto after = read_device_counters(device);
  ASSERT_TRUE(after);
  EXPECT_GE(after->written_bytes - before->written_bytes, bytes.size());
  EXPECT_GT(after->writes, before->writes);
  EXPECT_GE(after->busy, before->busy);
}

TEST_P(os_mounted, space_reserved_is_given_back) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3'000'001}}) {
    file target = open_in(image_->path());
    target.preallocate(0, 16 << 20, error_);
    ASSERT_FALSE(error_) << error_.message();
    target.write_at(std::vector<std::byte>(size, std::byte{'x'}), 0, error_);
    EXPECT_EQ(target.status(error_).size, size);
    EXPECT_GE(target.status(error_).allocated, 16U << 20);
    target.free_preallocation(size, error_);
    target.sync(error_);
    EXPECT_FALSE(error_) << error_.message();
    EXPECT_EQ(target.status(error_).size, size);
    EXPECT_LE(target.status(error_).allocated, size + 4096);
  }
}

INSTANTIATE_TEST_SUITE_P(types, os_mounted, testing::Values("ext4", "xfs", "btrfs"),
                         [](const auto& type) { return std::string{type.param}; });
INSTANTIATE_TEST_SUITE_P(types, os_mounted_with_uuid, testing::Values("xfs", "btrfs"),
                         [](const auto& type) { return std::string{type.param}; });

class os_path : public testing::Test {
 protected:
  temporary_directory directory_;
};

TEST_F(os_path, says_of_a_path_what_it_says_of_the_open_file) {
  std::error_code error;
  const file opened = file::open(directory_ / "f", {}, error);
  ASSERT_FALSE(error) << error.message();
  std::filesystem::create_symlink(directory_ / "f", directory_ / "link");
  const file_status open = opened.status(error);
  const file_status named = status_of(directory_ / "link", error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(named.kind, file_kind::regular);
  EXPECT_EQ(named.inode, open.inode);
  EXPECT_EQ(named.modified, open.modified);
  EXPECT_GT(named.modified, std::int64_t{1'500'000'000} * 1'000'000'000);
  std::ignore = status_of(directory_ / "none", error);
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
}

TEST_F(os_path, knows_what_this_user_may_read) {
  std::error_code error;
  std::ignore = file::open(directory_ / "f", {.permissions = 0600}, error);
  require_readable(directory_ / "f", error);
  EXPECT_FALSE(error) << error.message();
  std::filesystem::permissions(directory_ / "f", std::filesystem::perms::none);
  std::filesystem::permissions(directory_.path(), std::filesystem::perms{0755});
  const test::ordinary_user user;
  require_readable(directory_ / "f", error);
  EXPECT_EQ(error, std::errc::permission_denied);
}

TEST_F(os_path, a_lock_is_one_open_files_alone) {
  std::error_code error;
  file one = file::open(directory_ / "f", {}, error);
  const file other = file::open(directory_ / "f", {}, error);
  one.lock(error);
  ASSERT_FALSE(error) << error.message();
  other.lock(error);
  EXPECT_EQ(error, std::errc::operation_would_block);
  one.close(error);
  other.lock(error);
  EXPECT_FALSE(error) << error.message();
}

TEST(os_environment, knows_the_boot_it_runs_in) {
  EXPECT_FALSE(boot_id().empty());
  EXPECT_EQ(boot_id(), boot_id());
}

}  // namespace
}  // namespace freshet::detail::os

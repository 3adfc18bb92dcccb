// `freshet filesystems` as a user runs it, with real file systems on loop devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lab/filesystems/volume.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::ended;
using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;
using words = std::vector<std::string>;

/// A short run of one volume and one method.
const words quick{"--methods", "direct", "--size", "4M", "--seed", "1", "--volume-size", "384M", "--volume", "ext4"};

class filesystems_command : public test::measuring_command {
 protected:
  filesystems_command() : measuring_command{test::disk_place()} {}

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making and mounting file systems takes root";
  }
  [[nodiscard]] words call(const words& more, const std::string& time = "6s") const {
    words all{"filesystems", directory(), "--time", time};
    all.insert(all.end(), quick.begin(), quick.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Runs it again where all its trials were disturbed.
  [[nodiscard]] ended run_to_a_verdict(const words& all) const {
    ended done = freshet_.run(all);
    for (int again = 0; again < 4 && done.err.find("no valid trial") != std::string::npos; ++again)
      done = freshet_.run(all);
    return done;
  }
  /// Names that a run of freshet left in the directory.
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator{directory()}) names.push_back(each.path().filename());
    return names;
  }
  /// Whether any loop device has a file below the directory.
  [[nodiscard]] bool has_loop_device() const {
    for (const auto& each : fs::directory_iterator{"/sys/block"}) {
      std::ifstream in{each.path() / "loop/backing_file"};
      std::string file;
      if (std::getline(in, file) && file.starts_with(directory())) return true;
    }
    return false;
  }
  /// Waits until there is such a loop device, or, with false, none. Returns false if that takes too long.
  [[nodiscard]] bool wait_for_loop_device(bool wanted = true) const {
    constexpr int longest = 60'000;  // milliseconds
    for (int waited = 0; waited < longest && has_loop_device() != wanted; waited += 10)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return has_loop_device() == wanted;
  }
};

TEST_F(filesystems_command, says_what_is_fastest_and_what_to_type) {
  words both{"filesystems",   directory(),
             "--volume",      "ext4, noatime",
             "--volume",      "xfs -d agcount=4",
             "--methods",     "direct,buffered",
             "--size",        "8M",
             "--time",        "15s",
             "--seed",        "1",
             "--volume-size", "384M",
             "--json",        directory() + "/out.json",
             "--details"};
  const ended done = run_to_a_verdict(both);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, ContainsRegex("\nTo write files that are on the disk after close\\(\\), use "));
  EXPECT_EQ(done.out.find('\x1b'), std::string::npos) << "no colours in a pipe";
  EXPECT_THAT(done.err, IsEmpty()) << "no progress in a pipe";
  const nlohmann::json result = nlohmann::json::parse(std::ifstream{directory() + "/out.json"});
  EXPECT_EQ(result["goal"], "large");
  EXPECT_TRUE(result["from_loop_file"]);
  EXPECT_TRUE(result["device"].is_null());
  EXPECT_THAT(result["commands"][0].get<std::string>(), AllOf(StartsWith("sudo mkfs."), EndsWith(" DEVICE")));
  EXPECT_THAT(result["commands"][1].get<std::string>(), StartsWith("sudo mount -t "));
  EXPECT_FALSE(result["verdict"]["answer"].is_null());
  std::size_t visited = 0;
  for (const nlohmann::json& volume : result["volumes"]) {
    if (volume["visits"] == 0) continue;
    ++visited;
    for (const char* const figure : {"mkfs_seconds", "mount_seconds", "umount_seconds"})
      EXPECT_GT(volume[figure].get<double>(), 0) << volume;
  }
  EXPECT_GT(visited, 0U) << "an answer rests on a visit";
  EXPECT_GT(result["bytes_written"].get<std::uint64_t>(), 0U);
  EXPECT_THAT(left(), ElementsAre("out.json"));
  EXPECT_FALSE(has_loop_device());
}

TEST_F(filesystems_command, keeps_its_trials_like_all_others) {
  const ended done = run_to_a_verdict(call({}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const ended history = freshet_.run({"history", "--json", "-"});
  ASSERT_EQ(history.exit_code, 0) << history.err;
  const nlohmann::json kept = nlohmann::json::parse(history.out)["runs"][0];
  EXPECT_EQ(kept["command"], "filesystems");
  EXPECT_EQ(kept["fastest"][0]["label"], "direct 4 MiB on ext4");
  const std::string page = directory() + "/page.html";
  ASSERT_EQ(freshet_.run({"report", "--out", page}).exit_code, 0);
  std::ifstream in{page};
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>{in}, {}}), HasSubstr("direct 4 MiB on ext4"));
}

TEST_F(filesystems_command, is_refused_to_ordinary_users) {
  fs::permissions(directory(), fs::perms{0755});
  const test::ordinary_user nobody;
  const test::freshet_command freshet;
  const ended done = freshet.run(call({"--no-store"}));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("takes root"), HasSubstr("sudo")));
}

TEST_F(filesystems_command, leaves_out_what_this_machine_cannot_make) {
  const nlohmann::json all = nlohmann::json::parse(freshet_.run({"filesystems", "--list", "--json", "-"}).out);
  for (const nlohmann::json& kind : all["kinds"]) {
    if (kind["available"]) continue;
    const ended done = freshet_.run({"filesystems", directory(), "--types", kind["type"], "--no-store"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr(kind["why_not"].get<std::string>()));
    EXPECT_THAT(left(), IsEmpty());
  }
}

// At moments from the attaching of the loop device to the trials.
TEST_F(filesystems_command, ends_without_a_trace_by_every_signal) {
  for (const auto& [signal, milliseconds] : {std::pair{SIGHUP, 0}, {SIGINT, 100}, {SIGTERM, 400}, {SIGPIPE, 1500}}) {
    const pid_t process = freshet_.start(call({"--no-store"}, "10m"));
    EXPECT_TRUE(wait_for_loop_device());
    std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
    ::kill(process, signal);
    const ended done = freshet_.wait_for(process);
    EXPECT_EQ(done.exit_code, 128 + signal) << done.err;
    EXPECT_THAT(left(), IsEmpty()) << signal << " after " << milliseconds << " ms";
    EXPECT_TRUE(wait_for_loop_device(false));
  }
}

TEST_F(filesystems_command, is_cleaned_up_after_when_it_is_killed) {
  const pid_t process = freshet_.start(call({"--no-store"}, "10m"));
  EXPECT_TRUE(wait_for_loop_device());
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  ::kill(process, SIGKILL);
  EXPECT_EQ(freshet_.wait_for(process).exit_code, -SIGKILL);
  EXPECT_TRUE(wait_for_loop_device(false)) << "the kernel unmounts and detaches it";
  EXPECT_THAT(left(), testing::SizeIs(1)) << "the file is left";
  EXPECT_EQ(run_to_a_verdict(call({"--no-store"})).exit_code, 0);
  EXPECT_THAT(left(), IsEmpty()) << "the next run removes it";
}

TEST_F(filesystems_command, overwrites_a_real_device_only_if_that_is_said) {
  const std::string image = file("disk");
  std::ofstream{image};
  fs::resize_file(image, std::uint64_t{400} << 20);
  std::optional<test::loop_device> disk{image};
  ASSERT_TRUE(disk->is_open()) << disk->why_not();
  const std::string name = disk->path();
  ASSERT_EQ(std::system(("mkfs.ext4 -q -F " + name).c_str()), 0);
  const ended refused = freshet_.run(call({"--device", name, "--no-store"}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("it holds ext4"), HasSubstr("--destroy")));
  const ended done = run_to_a_verdict(call({"--device", name, "--destroy", "--no-store", "--json", "-"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json result = nlohmann::json::parse(done.out);
  EXPECT_EQ(result["device"], name);
  EXPECT_FALSE(result["from_loop_file"]);
  EXPECT_THAT(result["commands"][0].get<std::string>(), EndsWith(" " + name));
  EXPECT_THAT(result["commands"][1].get<std::string>(), EndsWith(" " + name + " DIRECTORY"));
  EXPECT_THAT(left(), ElementsAre("disk"));
}

TEST_F(filesystems_command, refuses_the_device_below_its_directory) {
  const test::mounted_image volume{directory(), "ext4", std::uint64_t{64} << 20};
  ASSERT_EQ(volume.why_not(), "");
  std::ifstream mounts{"/proc/self/mounts"};
  std::string device;
  for (std::string source, point, rest; mounts >> source >> point && std::getline(mounts, rest);)
    if (point == volume.path()) device = source;
  ASSERT_NE(device, "");
  const ended done = freshet_.run({"filesystems", volume.path(), "--device", device, "--destroy", "--no-store"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("lies on it"));
}

TEST_F(filesystems_command, refuses_a_directory_without_enough_space) {
  const test::mounted_image volume{directory(), "ext4", std::uint64_t{64} << 20};
  ASSERT_EQ(volume.why_not(), "");
  const ended done = freshet_.run({"filesystems", volume.path(), "--no-store"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("free space"));
}

TEST_F(filesystems_command, says_why_no_volume_could_be_made) {
  const ended done = freshet_.run({"filesystems", directory(), "--volume", "ext4 --bad", "--no-store"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("no valid trial"), HasSubstr("'ext4 --bad'"), HasSubstr("mkfs.ext4: invalid option")));
}

TEST_F(filesystems_command, measures_the_published_options) {
  const ended done = run_to_a_verdict({"filesystems", directory(), "--preset", "w4", "--size", "4M", "--time", "12s",
                                       "--volume-size", "384M", "--no-store", "--json", "-"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json result = nlohmann::json::parse(done.out);
  const tool::volume_preset published = tool::parse_preset("w4");
  const auto remarks = result["remarks"].get<std::vector<std::string>>();
  for (const std::string& each : published.remarks) EXPECT_THAT(remarks, Contains("w4: " + each + "."));
  EXPECT_THAT(remarks, Contains(ContainsRegex("reiserfs")))
      << "which this machine cannot make, or Linux has not any more";
  words volumes;
  for (const nlohmann::json& each : result["verdict"]["ranking"]) volumes.push_back(each["plan"]["volume"]);
  for (const nlohmann::json& each : result["verdict"]["unmeasured"]) volumes.push_back(each["volume"]);
  EXPECT_THAT(volumes, Contains(published.volumes.back())) << "measured, or left unmeasured for lack of time";
}

TEST_F(filesystems_command, measures_small_files_and_durable_blocks) {
  for (const char* const goal : {"small", "durable"}) {
    const ended done = run_to_a_verdict({"filesystems", directory(), "--volume", "ext4", "--for", goal, "--size", "4M",
                                         "--time", "12s", "--volume-size", "384M", "--no-store", "--json", "-"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const nlohmann::json result = nlohmann::json::parse(done.out);
    EXPECT_EQ(result["goal"], goal);
    EXPECT_GT(result["verdict"]["ranking"][0]["mb_per_second"].get<double>(), 0);
  }
}

TEST(the_list_of_file_systems, takes_no_root) {
  static_cast<void>(test::command_for_all());
  const test::ordinary_user nobody;
  const test::freshet_command freshet;
  const ended done = freshet.run({"filesystems", "--list", "--json", "-"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json list = nlohmann::json::parse(done.out);
  words types;
  for (const nlohmann::json& each : list["kinds"]) types.push_back(each["type"]);
  EXPECT_THAT(types, IsSupersetOf({"ext4", "xfs", "btrfs"}));
}

}  // namespace
}  // namespace freshet

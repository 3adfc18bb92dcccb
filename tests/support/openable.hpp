// Everything that has a path and can be opened: files of all kinds, with the bytes that a test finds in them.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet::test {

/// A file of some kind, made for one test and gone with it.
class openable {
 public:
  openable() = default;
  openable(const openable&) = delete;
  openable& operator=(const openable&) = delete;
  virtual ~openable() = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Why there is no such file here; empty if there is one.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// The file was opened, only to be read if `reads_only`: whoever reads on comes to an end from now on.
  virtual void was_opened(bool /*reads_only*/) {}
  /// A new descriptor of it, which its owner closes; negative on failure.
  [[nodiscard]] virtual int descriptor_to_read() const { return ::open(path_.c_str(), O_RDONLY | O_CLOEXEC); }
  /// What writing left in it.
  [[nodiscard]] virtual std::string content() { return {}; }

 protected:
  std::string path_;
  std::string why_not_;
};

class descriptor_owner {
 public:
  explicit descriptor_owner(int descriptor = -1) noexcept : descriptor_{descriptor} {}
  descriptor_owner(const descriptor_owner&) = delete;
  descriptor_owner& operator=(const descriptor_owner&) = delete;
  ~descriptor_owner() { reset(); }
  void reset(int descriptor = -1) noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = descriptor;
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

[[nodiscard]] inline bool write_to(int descriptor, std::string_view bytes) {
  return ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

/// What can be read from `descriptor` without waiting.
[[nodiscard]] inline std::string drain(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  std::string all;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(descriptor, piece, sizeof piece)) > 0;)
    all.append(piece, static_cast<std::size_t>(got));
  return all;
}

/// A file that others made, and that a test leaves as it is.
class existing_file final : public openable {
 public:
  explicit existing_file(std::string path) {
    path_ = std::move(path);
    if (!std::filesystem::exists(path_)) why_not_ = "there is no " + path_;
  }
};

class regular_file : public openable {
 public:
  explicit regular_file(std::string_view bytes) {
    path_ = directory_ / "file";
    std::ofstream{path_} << bytes;
  }
  [[nodiscard]] std::string content() override { return content_of(path_); }

 protected:
  temporary_directory directory_;
};

/// 1 MiB, of which only both ends are on the device.
class sparse_file final : public regular_file {
 public:
  static constexpr std::size_t size = std::size_t{1} << 20;
  sparse_file() : regular_file{bytes_from(0, 100)} {
    std::filesystem::resize_file(path_, size - 100);
    std::ofstream{path_, std::ios::app} << bytes_from(size - 100, 100);
  }
};

class an_empty_directory final : public openable {
 public:
  an_empty_directory() { path_ = directory_.path(); }

 private:
  temporary_directory directory_;
};

/// A loop device of 1 MiB.
class block_device final : public openable {
 public:
  static constexpr std::size_t size = std::size_t{1} << 20;
  block_device() : file_{bytes_from(0, size)}, device_{file_.path()} {
    path_ = device_.path();
    if (::geteuid() != 0)
      why_not_ = "making a block device takes root";
    else if (!device_.is_open())
      why_not_ = device_.why_not();
  }
  // A second descriptor of the device sees what its page cache holds.
  [[nodiscard]] std::string content() override { return content_of(path_); }

 private:
  regular_file file_;
  loop_device device_;
};

/// A file in memory, which has a path only as a descriptor.
class memory_file final : public openable {
 public:
  explicit memory_file(std::string_view bytes) {
    if (descriptor_.get() < 0 || !write_to(descriptor_.get(), bytes)) why_not_ = "memfd_create() fails";
    path_ = "/proc/self/fd/" + std::to_string(descriptor_.get());
  }
  [[nodiscard]] std::string content() override { return content_of(path_); }

 private:
  descriptor_owner descriptor_{::memfd_create("openable", MFD_CLOEXEC)};
};

/// A named pipe that holds some bytes. Whoever only reads it comes to their end.
class named_pipe final : public openable {
 public:
  explicit named_pipe(std::string_view bytes) {
    path_ = directory_ / "pipe";
    const bool is_made = ::mkfifo(path_.c_str(), 0600) == 0;
    other_end_.reset(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (!is_made || other_end_.get() < 0 || !write_to(other_end_.get(), bytes)) why_not_ = "mkfifo() fails";
  }
  void was_opened(bool reads_only) override {
    if (reads_only) other_end_.reset();
  }
  [[nodiscard]] std::string content() override { return drain(other_end_.get()); }
  void put(std::string_view bytes) {
    if (!write_to(other_end_.get(), bytes)) why_not_ = "the pipe takes no more";
  }
  /// How many bytes it holds.
  [[nodiscard]] std::size_t held() const {
    int bytes = 0;
    return ::ioctl(other_end_.get(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
  }

 private:
  temporary_directory directory_;
  descriptor_owner other_end_;
};

/// A terminal on which some lines were typed, and then control-D: whoever reads it comes to an end, again and again.
class terminal final : public openable {
 public:
  terminal() {
    int screen = -1;
    int keyboard = -1;
    char name[64];
    if (::openpty(&screen, &keyboard, name, nullptr, nullptr) != 0) {
      why_not_ = "openpty() fails";
      return;
    }
    screen_.reset(screen);
    keyboard_.reset(keyboard);
    path_ = name;
    termios settings{};
    ::tcgetattr(keyboard, &settings);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    ::tcsetattr(keyboard, TCSANOW, &settings);
    constexpr char control_d = '\4';
    if (!write_to(screen, "a first line\nand a second\nthe third\n" + std::string(100, control_d)))
      why_not_ = "nothing can be typed";
  }
  [[nodiscard]] std::string content() override { return drain(screen_.get()); }

 private:
  descriptor_owner screen_;
  descriptor_owner keyboard_;
};

/// One of two connected sockets, which has a path only as a descriptor. It cannot be opened by that.
class connected_socket final : public openable {
 public:
  connected_socket() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) why_not_ = "socketpair() fails";
    one_.reset(ends[0]);
    other_.reset(ends[1]);
    path_ = "/dev/fd/" + std::to_string(ends[0]);
  }
  [[nodiscard]] int descriptor_to_read() const override { return ::fcntl(one_.get(), F_DUPFD_CLOEXEC, 0); }

 private:
  descriptor_owner one_;
  descriptor_owner other_;
};

/// The name of this program, which Linux writes only at the descriptor's own position. The destructor restores it.
class program_name final : public openable {
 public:
  program_name() : name_{content_of("/proc/self/comm")} {
    path_ = "/proc/self/comm";
    restore("original");
  }
  ~program_name() override { restore(name_); }
  // Files below /proc have no end to seek to.
  [[nodiscard]] std::string content() override { return all_from(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)); }

 private:
  void restore(std::string_view name) const { std::ofstream{path_} << name; }
  std::string name_;
};

/// A kind of file, and how one is made.
struct kind_of_openable {
  const char* name;
  std::unique_ptr<openable> (*make)();

  friend std::ostream& operator<<(std::ostream& out, const kind_of_openable& one) { return out << one.name; }
};

template <typename Openable, auto... Arguments>
std::unique_ptr<openable> make_openable() {
  return std::make_unique<Openable>(Arguments()...);
}

template <std::size_t Length>
std::string first_bytes() {
  return bytes_from(0, Length);
}

[[nodiscard]] inline std::vector<kind_of_openable> all_kinds_of_openables() {
  static constexpr auto existing = [](const char* path) { return std::make_unique<existing_file>(path); };
  return {
      {"regular_file", make_openable<regular_file, first_bytes<10'000>>},
      {"large_file", make_openable<regular_file, first_bytes<1'000'000>>},
      {"empty_file", make_openable<regular_file, first_bytes<0>>},
      {"sparse_file", make_openable<sparse_file>},
      {"directory", make_openable<an_empty_directory>},
      {"block_device", make_openable<block_device>},
      {"memory_file", make_openable<memory_file, first_bytes<10'000>>},
      {"named_pipe", make_openable<named_pipe, first_bytes<3'000>>},
      {"terminal", make_openable<terminal>},
      {"socket", make_openable<connected_socket>},
      {"proc_version", [] { return std::unique_ptr<openable>{existing("/proc/version")}; }},
      {"proc_limits", [] { return std::unique_ptr<openable>{existing("/proc/self/limits")}; }},
      {"proc_comm", make_openable<program_name>},
      {"proc_sys", [] { return std::unique_ptr<openable>{existing("/proc/sys/kernel/ostype")}; }},
      {"sys_file", [] { return std::unique_ptr<openable>{existing("/sys/devices/system/cpu/possible")}; }},
      {"sys_binary_file", [] { return std::unique_ptr<openable>{existing("/sys/kernel/notes")}; }},
      {"dev_null", [] { return std::unique_ptr<openable>{existing("/dev/null")}; }},
      {"dev_zero", [] { return std::unique_ptr<openable>{existing("/dev/zero")}; }},
      {"dev_full", [] { return std::unique_ptr<openable>{existing("/dev/full")}; }},
  };
}

}  // namespace freshet::test

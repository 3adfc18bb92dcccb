// Uses writers, streams and readers as a program would, as the input's bytes say, and compares them with a plain model
// in memory: what closed without an error reads back byte for byte; what did not is a prefix of what was written, and,
// compressed or encrypted, is read only by who accepts it; nothing ends the program.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Takes decisions from the input; zeros once it is used up.
class script {
 public:
  explicit script(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}

  [[nodiscard]] bool is_over() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  bool flag() { return (byte() & 1) != 0; }
  template <typename T, std::size_t count>
  T one_of(const std::array<T, count>& choices) {
    return choices[byte() % count];
  }
  // Mostly small, at times around a block or beyond.
  std::size_t length() {
    const std::size_t magnitude = byte() % 18;
    const std::size_t low = byte();
    return ((std::size_t{1} << magnitude) - 1) + low % (std::size_t{1} << std::min<std::size_t>(magnitude, 8));
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

const freshet::encryption_key& key() {
  static const freshet::encryption_key instance = [] {
    std::array<std::byte, freshet::encryption_key::size> bytes;
    bytes.fill(std::byte{3});
    return freshet::encryption_key{bytes};
  }();
  return instance;
}

const std::filesystem::path& directory() {
  static const freshet::test::temporary_directory place{freshet::test::undisturbed_place()};
  return place.path();
}

struct settings {
  freshet::writer_options writing;
  freshet::reader_options reading;
  bool is_filtered = false;
  bool has_faults = false;
};

settings settings_of(script& input) {
  settings result;
  auto& [writing, reading, is_filtered, has_faults] = result;
  writing.method = input.one_of(std::array<std::string_view, 8>{"auto", "auto", "buffered", "writebehind",
                                                                "uring-buffered", "mmap", "uring", "adaptive"});
  writing.block = input.one_of(std::array<std::size_t, 4>{0, 0, 4096, 65536});
  writing.depth = input.one_of(std::array<unsigned, 3>{0, 1, 3});
  writing.flush_every = input.one_of(std::array<std::size_t, 4>{0, 0, 0, 4096});
  writing.hidden_until_closed = input.byte() % 8 == 0;
  writing.reserve = input.one_of(std::array<std::uint64_t, 3>{0, 0, 100'000});
  const std::uint8_t filters = input.byte();
  if ((filters & 1) != 0) writing.checksum = freshet::checksum_algorithm::xxh3;
  if ((filters & 6) == 2) {
    writing.compression = {.format = freshet::compression_format::zstd, .level = 1, .threads = 1};
    reading.decompression = freshet::decompression::zstd;
  }
  if ((filters & 24) == 8) {
    writing.key = &key();
    reading.key = &key();
  }
  is_filtered = reading.key != nullptr || reading.decompression != freshet::decompression::none;
  has_faults = input.byte() % 4 == 0;
  reading.block = input.one_of(std::array<std::size_t, 3>{0, 4096, 65536});
  return result;
}

// What the file is to hold.
class model {
 public:
  // The next `length` bytes, which then belong to the file.
  std::string_view more(std::size_t length) {
    const std::size_t begin = content_.size();
    for (std::size_t i = begin; i < begin + length; ++i) content_ += static_cast<char>(i * 131 + (i >> 8) * 7 + i % 13);
    return std::string_view{content_}.substr(begin);
  }
  [[nodiscard]] const std::string& content() const { return content_; }

 private:
  std::string content_;
};

// A writer and a stream, called alike.
class by_writer {
 public:
  by_writer(const std::filesystem::path& path, const freshet::writer_options& options)
      : out_{path, options, failure_} {}

  [[nodiscard]] bool has_failed() const { return static_cast<bool>(failure_); }
  [[nodiscard]] std::string reason() const { return failure_.message(); }
  [[nodiscard]] std::uint64_t written_bytes() const { return out_.written_bytes(); }
  [[nodiscard]] std::uint64_t tell() { return out_.tell(); }
  [[nodiscard]] freshet::checksum checksum() const { return out_.checksum(); }
  void write(script& input, std::string_view bytes) {
    switch (input.byte() % 3) {
      case 0:
        for (const char each : bytes) call([&](auto& failure) { out_.put(each, failure); });
        break;
      case 1:
        call([&](auto& failure) { out_.write(bytes, failure); });
        break;
      default:
        fill(bytes);
    }
  }
  void flush() {
    call([&](auto& failure) { out_.flush(failure); });
  }
  void sync() {
    call([&](auto& failure) { out_.sync(failure); });
  }
  void reserve(std::uint64_t bytes) {
    std::error_code refused;
    out_.reserve(bytes, refused);
    if (out_.last_error() && !failure_) failure_ = out_.last_error();
  }
  void move() {
    freshet::writer elsewhere{std::move(out_)};
    require(!out_.is_open());
    out_ = std::move(elsewhere);
  }
  void swap_with(const std::filesystem::path& path, const freshet::writer_options& options) {
    freshet::writer other{path, options};
    std::swap(out_, other);
    out_.write(std::string_view{"the other file"});
    out_.close();
    std::swap(out_, other);
    require(!other.is_open());
  }
  void close() {
    call([&](auto& failure) { out_.close(failure); });
  }
  void discard() { out_.discard(); }

 private:
  // The first error is final: later calls report the same.
  template <typename Call>
  void call(Call make) {
    std::error_code failure;
    make(failure);
    if (failure_) return require(failure == failure_ || failure == std::errc::bad_file_descriptor || !failure);
    failure_ = failure;
  }
  void fill(std::string_view bytes) {
    try {
      while (!bytes.empty()) {
        const auto room = out_.room();
        require(!room.empty());
        const std::size_t length = std::min(room.size(), bytes.size());
        std::memcpy(room.data(), bytes.data(), length);
        out_.advance(length);
        bytes.remove_prefix(length);
      }
    } catch (const freshet::error& failed) {
      if (!failure_) failure_ = failed.code();
    }
  }

  std::error_code failure_;
  freshet::writer out_;
};

class by_stream {
 public:
  by_stream(const std::filesystem::path& path, const freshet::writer_options& options) : out_{path, options} {}

  [[nodiscard]] bool has_failed() const { return !out_.good(); }
  [[nodiscard]] std::string reason() const { return out_.last_error() ? out_.last_error()->what() : "no error"; }
  [[nodiscard]] std::uint64_t tell() { return static_cast<std::uint64_t>(out_.tellp()); }
  [[nodiscard]] freshet::checksum checksum() const { return out_.rdbuf()->checksum(); }
  void write(script& input, std::string_view bytes) {
    switch (input.byte() % 3) {
      case 0:
        for (const char each : bytes) out_.put(each);
        break;
      case 1:
        out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        break;
      default:
        out_ << bytes;
    }
  }
  void flush() { out_.flush(); }
  void sync() { out_.flush(); }
  void reserve(std::uint64_t bytes) { static_cast<void>(out_.rdbuf()->reserve(bytes)); }
  void move() {
    freshet::ofstream elsewhere{std::move(out_)};
    out_ = freshet::ofstream{};
    out_.swap(elsewhere);
  }
  void swap_with(const std::filesystem::path& path, const freshet::writer_options& options) {
    freshet::ofstream other{path, options};
    out_.swap(other);
    out_ << "the other file";
    out_.close();
    require(out_.good());
    out_.swap(other);
    require(!other.is_open());
  }
  void close() { out_.close(); }
  void discard() { out_.discard(); }

 private:
  freshet::ofstream out_;
};

// The child of a fork appends, too, and then the parent goes on.
template <typename Out>
void fork_and_append(Out& out, script& input, model& expected) {
  out.flush();
  if (out.has_failed()) return;
  const auto bytes = expected.more(input.length() % 20'000);
  const pid_t child = ::fork();
  if (child == 0) {
    out.write(input, bytes);
    out.flush();
    if (out.has_failed()) std::fprintf(stderr, "the child of a fork: %s\n", out.reason().c_str());
    ::_exit(out.has_failed() ? 1 : 0);
  }
  int status = -1;
  pid_t ended = -1;
  do ended = ::waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);  // the fuzzer's own timer
  require(child > 0 && ended == child);
  if (status != 0) std::fprintf(stderr, "the child of a fork ended with status %d\n", status);
  require(status == 0);
}

template <typename Out>
void write_by(Out& out, script& input, const settings& how, model& expected) {
  bool may_fork = !how.is_filtered && !how.has_faults && how.writing.checksum == freshet::checksum_algorithm::none;
  while (!input.is_over() && !out.has_failed() && expected.content().size() < 1'000'000) {
    switch (input.byte() % 11) {
      case 0:
        out.flush();
        break;
      case 1:
        if (input.byte() % 8 == 0) out.sync();
        break;
      case 2:
        out.reserve(input.length());
        break;
      case 3:
        out.move();
        break;
      case 4:
        if (std::exchange(may_fork, false) && input.byte() % 4 == 0) fork_and_append(out, input, expected);
        break;
      case 5:
        if (!how.has_faults) out.swap_with(directory() / "other", how.writing);
        break;
      case 6:
        return;  // what follows is for the reader
      default:
        out.write(input, expected.more(input.length()));
    }
    if (may_fork && !out.has_failed()) require(out.tell() == expected.content().size());
  }
}

void read_by_steps(const std::filesystem::path& path, script& input, const freshet::reader_options& options,
                   const std::string& expected) {
  freshet::reader in{path, options};
  const bool may_seek = options.expected_checksum.algorithm == freshet::checksum_algorithm::none;
  std::size_t at = 0;
  for (int steps = 0; steps < 200; ++steps) {
    const std::string_view rest = std::string_view{expected}.substr(std::min(at, expected.size()));
    const std::size_t length = input.length();
    switch (input.byte() % (may_seek ? 6 : 3)) {
      case 0: {
        std::string bytes(length, '\0');
        bytes.resize(in.read(bytes));
        require(bytes == rest.substr(0, length));
        at += bytes.size();
        break;
      }
      case 1: {
        const auto bytes = in.view(length);
        require(bytes.size() == std::min(rest.size(), length) &&
                (bytes.empty() || std::memcmp(bytes.data(), rest.data(), bytes.size()) == 0));
        at += bytes.size();
        break;
      }
      case 2: {
        const int next = in.get();
        require(next == (rest.empty() ? freshet::reader::end_of_file : static_cast<unsigned char>(rest[0])));
        at += rest.empty() ? 0U : 1U;
        break;
      }
      case 3:
        in.skip(length);
        at += length;
        break;
      case 4:
        in.seek(length);
        at = length;
        break;
      default:
        require(in.size() == expected.size());
    }
    require(in.tell() == at);
    if (input.is_over()) break;
  }
  if (!may_seek) return;
  in.seek(0);
  std::string all(expected.size() + 1, '\0');
  all.resize(in.read(all));
  require(all == expected);
}

// The bytes that a reader gets until it ends or fails.
struct content {
  std::string bytes;
  std::error_code failure;
};

content content_of(const std::filesystem::path& path, const freshet::reader_options& options) {
  content result;
  freshet::reader in{path, options, result.failure};
  std::array<char, 5000> memory;
  while (!result.failure) {
    const std::size_t length = in.read(memory, result.failure);
    result.bytes.append(memory.data(), length);
    if (length == 0) break;
  }
  return result;
}

// What failed to close may be whole nevertheless.
void read_unclosed(const std::filesystem::path& path, const settings& how, const model& expected, bool may_be_whole) {
  auto reading = how.reading;
  const auto refused = content_of(path, reading);
  require(expected.content().starts_with(refused.bytes));
  require(!how.is_filtered || refused.failure || (may_be_whole && refused.bytes == expected.content()));
  reading.accept_unclosed = true;
  require(expected.content().starts_with(content_of(path, reading).bytes));
}

enum class ending : std::uint8_t { close, discard, drop };

void choose_fault(script& input, freshet::test::fault_injection& faults) {
  using freshet::detail::os::call;
  const auto kind =
      input.one_of(std::array{call::write, call::write_at, call::status, call::preallocate, call::set_size});
  faults.fail(kind, 1 + input.byte() % 16, std::errc::no_space_on_device);
}

template <typename Out>
void write_and_read(script& input) {
  const auto path = directory() / "file";
  std::filesystem::remove(path);
  const settings how = settings_of(input);
  const auto end = input.one_of(std::array{ending::close, ending::close, ending::discard, ending::drop});
  model expected;
  bool has_failed = false;
  freshet::checksum sum;
  {
    std::optional<freshet::test::fault_injection> faults;
    if (how.has_faults) choose_fault(input, faults.emplace(input.byte()));
    Out out{path, how.writing};
    write_by(out, input, how, expected);
    if (end == ending::close) out.close();
    if (end == ending::discard) out.discard();
    has_failed = out.has_failed();
    sum = out.checksum();
  }
  const bool is_complete = end == ending::close && !has_failed;
  if (is_complete) {
    auto reading = how.reading;
    reading.expected_checksum = sum;
    read_by_steps(path, input, reading, expected.content());
  } else if (how.writing.hidden_until_closed) {
    require(!std::filesystem::exists(path));
  } else if (std::filesystem::exists(path)) {
    read_unclosed(path, how, expected, end == ending::close);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setenv("FRESHET_PROFILE", "none", 1);
  script input{{data, size}};
  input.flag() ? write_and_read<by_stream>(input) : write_and_read<by_writer>(input);
  return 0;
}

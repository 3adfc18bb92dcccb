// Reads and writes lines with the file streams of std or freshet, and reports errors with file, offset and reason.
#pragma once

#include <array>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <freshet/error.hpp>
#include <freshet/stream.hpp>

#include "lab/encrypt/encryption.hpp"
#include "lab/encrypt/workers.hpp"
#include "src/sink/publisher.hpp"

namespace freshet::tool {

/// After a failure, the streams of std leave only errno; those of freshet keep the whole error.
[[noreturn]] inline void throw_stream_error(const std::ios& /*stream*/, std::string_view operation,
                                            const std::filesystem::path& path, std::uint64_t offset) {
  throw error{{errno != 0 ? errno : EIO, std::system_category()}, operation, path, offset};
}
template <typename Standard>
[[noreturn]] void throw_stream_error(const file_stream<Standard>& stream, std::string_view operation,
                                     const std::filesystem::path& path, std::uint64_t offset) {
  if (const auto& failure = stream.last_error()) throw error{*failure};
  throw_stream_error(static_cast<const std::ios&>(stream), operation, path, offset);
}

/// Gives a stream of std a buffer of so many bytes, unless that is 0. Precondition: it is not open yet, since libstdc++
/// takes none later; the buffer outlives it.
template <typename Stream>
void set_buffer(Stream& stream, std::vector<char>& buffer, std::size_t bytes) {
  if (bytes == 0) return;
  buffer.resize(bytes);
  stream.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

/// Opens a file for a stream of std with an order of access, which the kernel keeps for each open file, not for a name.
/// `buffer`: as in set_buffer(). @throws freshet::error
void open_with_access(std::ifstream& stream, const std::filesystem::path& path, access order, std::size_t buffer);

/// Reads the lines of a file as std::getline() does.
template <typename Stream>
class line_source {
 public:
  /// @throws freshet::error  if the file cannot be opened or has changed since it was listed
  line_source(const encryption_job& job, const input_file& file)
      : directory_{job.in}, file_{file}, path_{job.in / file.name}, longest_{max_line_length(job.plan.cipher)} {
    const file_use& use = job.plan.files;
    if constexpr (std::same_as<Stream, std::ifstream>) {
      if (use.access) {
        open_with_access(in_, path_, *use.access, use.buffer);
      } else {
        set_buffer(in_, buffer_, use.buffer);
        in_.open(path_, std::ios::binary);
      }
    } else {
      in_.open(path_, std::ios::binary, use.reading());
    }
    if (!in_) throw_stream_error(in_, "open", path_, error::no_offset);
    require_unchanged(directory_, file_);
  }

  /// Reads the next line without its "\n"; false at the end of the file.
  /// @throws freshet::error  if the file cannot be read or a line is too long
  bool next(std::string& line) {
    errno = 0;
    const bool has_line = file_.size > longest_ ? read_bounded_line(line) : static_cast<bool>(std::getline(in_, line));
    if (in_.bad()) throw_stream_error(in_, "read", path_, offset_);
    if (!has_line) return false;
    ++number_;
    start_ = offset_;
    has_end_ = !in_.eof();
    offset_ += line.size() + (has_end_ ? 1 : 0);
    return true;
  }

  /// Whether the last line ended with a "\n".
  [[nodiscard]] bool has_end() const noexcept { return has_end_; }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The place of the last line.
  [[nodiscard]] line_place place() const noexcept { return {path_, number_, start_}; }

  /// @throws freshet::error  if the file has changed since it was listed
  void close() {
    in_.close();
    require_unchanged(directory_, file_);
  }

 private:
  // Like std::getline(), but with a limit to the length. Only a file larger than the limit needs it.
  bool read_bounded_line(std::string& line) {
    line.clear();
    while (true) {
      in_.getline(piece_.data(), static_cast<std::streamsize>(piece_.size()));
      const auto count = static_cast<std::size_t>(in_.gcount());
      if (in_.bad() || (count == 0 && line.empty())) return false;
      const bool is_partial = in_.fail() && !in_.eof();
      line.append(piece_.data(), in_.eof() || is_partial ? count : count - 1);
      if (line.size() > longest_)
        throw error{std::make_error_code(std::errc::message_size), "read", path_, offset_,
                    fmt::format("line {} is longer than {} bytes", number_ + 1, longest_)};
      if (!is_partial) return true;
      in_.clear();
    }
  }

  const std::filesystem::path& directory_;
  const input_file& file_;
  std::filesystem::path path_;
  std::size_t longest_;
  std::vector<char> buffer_;  // of a stream of std
  Stream in_;
  std::uint64_t number_ = 0;
  std::uint64_t start_ = 0;
  bool has_end_ = false;
  std::uint64_t offset_ = 0;
  std::array<char, 16384> piece_ = {};
};

/// Writes a file that appears under its name when it is complete.
template <typename Stream>
class line_target {
 public:
  /// @throws freshet::error
  line_target(const encryption_job& job, const input_file& file) : path_{job.out / file.name} {
    errno = 0;
    if constexpr (std::same_as<Stream, std::ofstream>)
      open_hidden(job.plan.files.buffer);
    else
      out_.open(path_, job.plan.files.writing());
    if (!out_) throw_stream_error(out_, "open", path_, error::no_offset);
  }

  /// @throws freshet::error
  void write(std::string_view text) {
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out_) [[unlikely]]
      fail();
  }

  /// @throws freshet::error
  void publish() {
    errno = 0;
    out_.close();
    if (!out_) fail();
    if (!file_.is_open()) return;
    std::error_code failure;
    publisher_.publish(file_, true, failure);
    if (failure) throw error{failure, "give its name to", path_};
  }

 private:
  // The streams of std open a file only by its name, and a hidden file has none but that of its descriptor.
  void open_hidden(std::size_t buffer) {
    std::error_code failure;
    file_ = publisher_.open_hidden(path_, {}, failure);
    if (failure) throw error{failure, "open", path_};
    set_buffer(out_, buffer_, buffer);
    out_.open(fmt::format("/proc/self/fd/{}", file_.descriptor()), std::ios::binary);
  }

  // The streams of std do not tell how much they have written; the size of the file does.
  [[noreturn]] void fail() const {
    const int reason = errno;
    std::error_code ignored;
    const std::uint64_t offset = file_.is_open() ? file_.status(ignored).size : error::no_offset;
    errno = reason;
    throw_stream_error(out_, "write", path_, offset);
  }

  std::filesystem::path path_;
  detail::publisher publisher_;  // not used by the streams of freshet, which hide their files themselves
  detail::os::file file_;
  std::vector<char> buffer_;  // of a stream of std
  Stream out_;
};

}  // namespace freshet::tool

// Lines out of and into a std::istream or std::ostream of either library, with errors that say what happened.
#pragma once

#include <array>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <freshet/error.hpp>
#include <freshet/stream.hpp>

#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/hidden_file.hpp"
#include "tool/encrypt/workers.hpp"

namespace freshet::tool {

/// What std's streams keep of a failure is errno; freshet's say all of it.
[[noreturn]] inline void throw_failure(const std::ios& /*stream*/, std::string_view operation,
                                       const std::filesystem::path& path, std::uint64_t offset) {
  throw error{{errno != 0 ? errno : EIO, std::system_category()}, operation, path, offset};
}
template <typename Standard>
[[noreturn]] void throw_failure(const file_stream<Standard>& stream, std::string_view operation,
                                const std::filesystem::path& path, std::uint64_t offset) {
  if (const auto& failure = stream.last_error()) throw error{*failure};
  throw_failure(static_cast<const std::ios&>(stream), operation, path, offset);
}

/// Takes a file's lines, as std::getline() does.
template <typename Stream>
class line_source {
 public:
  /// @throws freshet::error  when it can't be opened, or is not as it was found
  line_source(const encryption_job& job, const input_file& found)
      : directory_{job.in},
        found_{found},
        path_{job.in / found.name},
        longest_{longest_line_of(job.plan.cipher)},
        in_{path_, std::ios::binary} {
    if (!in_) throw_failure(in_, "open", path_, error::no_offset);
    require_unchanged(directory_, found_);
  }

  /// Makes `line` the next one, without its "\n"; false where the file ends.
  /// @throws freshet::error  when it can't be read, or a line is too long
  bool next(std::string& line) {
    errno = 0;
    const bool taken = found_.size > longest_ ? take_with_care(line) : static_cast<bool>(std::getline(in_, line));
    if (in_.bad()) throw_failure(in_, "read", path_, offset_);
    if (!taken) return false;
    ++number_;
    start_ = offset_;
    has_end_ = !in_.eof();
    offset_ += line.size() + (has_end_ ? 1 : 0);
    return true;
  }

  /// Whether the last line ended with a "\n".
  [[nodiscard]] bool has_end() const noexcept { return has_end_; }

  /// For a line, by default the last one, that is not what it must be. @throws freshet::error
  [[noreturn]] void reject(std::uint64_t number, std::uint64_t start, std::string_view why) const {
    reject_line(path_, number, start, why);
  }
  [[noreturn]] void reject(std::string_view why) const { reject(number_, start_, why); }

  /// @throws freshet::error  when the file was changed since it was found
  void close() {
    in_.close();
    require_unchanged(directory_, found_);
  }

 private:
  // As std::getline(), which has no limit: only a file that is larger than it can have a line that is.
  bool take_with_care(std::string& line) {
    line.clear();
    while (true) {
      in_.getline(piece_.data(), static_cast<std::streamsize>(piece_.size()));
      const auto got = static_cast<std::size_t>(in_.gcount());
      if (in_.bad() || (got == 0 && line.empty())) return false;
      const bool goes_on = in_.fail() && !in_.eof();
      line.append(piece_.data(), in_.eof() || goes_on ? got : got - 1);
      if (line.size() > longest_)
        throw error{std::make_error_code(std::errc::message_size), "read", path_, offset_,
                    fmt::format("line {} is longer than {} bytes", number_ + 1, longest_)};
      if (!goes_on) return true;
      in_.clear();
    }
  }

  const std::filesystem::path& directory_;
  const input_file& found_;
  std::filesystem::path path_;
  std::size_t longest_;
  Stream in_;
  std::uint64_t number_ = 0;
  std::uint64_t start_ = 0;
  bool has_end_ = false;
  std::uint64_t offset_ = 0;
  std::array<char, 16384> piece_ = {};
};

/// Writes a file that appears when it is complete.
template <typename Stream>
class line_target {
 public:
  /// @throws freshet::error
  explicit line_target(std::filesystem::path path) : path_{std::move(path)} {
    errno = 0;
    if constexpr (std::same_as<Stream, std::ofstream>) {
      hidden_.emplace(path_);
      out_.open(hidden_->path(), std::ios::binary);
    } else {
      out_.open(path_, {.hidden_until_closed = true});
    }
    if (!out_) throw_failure(out_, "open", path_, error::no_offset);
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
    if (hidden_) hidden_->publish();
  }

 private:
  // How far std's streams came, only the file itself knows.
  [[noreturn]] void fail() const {
    const int why = errno;
    std::error_code unknown;
    const std::uint64_t offset = hidden_ ? detail::os::status_of(hidden_->path(), unknown).size : error::no_offset;
    errno = why;
    throw_failure(out_, "write", path_, offset);
  }

  std::filesystem::path path_;
  std::optional<hidden_file> hidden_;  // freshet's streams do that themselves
  Stream out_;
};

}  // namespace freshet::tool

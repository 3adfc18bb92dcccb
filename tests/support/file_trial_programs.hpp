// What programs do with one file in trials of surroundings that refuse something; see file_trial.hpp.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/profile.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"

namespace freshet::test {

/// The name of each trial's file.
inline constexpr std::string_view trial_file = "file";
/// Bytes: enough for each method to start, and to write and drop behind the cursor; and for readers to change methods.
inline constexpr std::size_t trial_bytes = (std::size_t{5} << 20) + 4321;
inline constexpr std::size_t changing_bytes = (std::size_t{17} << 20) + 4321;

enum class trial_program : std::uint8_t { writer, stream, edited_stream, temporary_stream, reader, reading_stream };

/// What a program asks the library for, with one file.
struct file_trial {
  std::string name = "plain";  ///< of the options, for messages
  trial_program does = trial_program::writer;
  writer_options writing = {};  ///< without a method
  reader_options reading = {};  ///< without a method
  bool syncs = false;           ///< the writer calls sync() before close()
  bool replaces = false;        ///< the file exists before
  std::size_t bytes = trial_bytes;
  std::string method = {};   ///< that the program names; empty: none
  std::string profile = {};  ///< the method of the file system's profile; empty: there is no profile

  [[nodiscard]] bool writes() const { return does < trial_program::reader; }
  [[nodiscard]] bool has_file_before() const {
    return !writes() || replaces || does == trial_program::edited_stream || writing.mode == open_mode::append;
  }
  /// Whether the file is a prefix of what was written at any time.
  [[nodiscard]] bool keeps_order() const {
    const auto* const named = detail::find_method(method);
    return writing.ordered && (named == nullptr || named->keeps_order);
  }
  [[nodiscard]] bool leaves_name() const { return !writing.temporary && !writing.delete_on_close; }
  /// Whether the program names something that may show only at the file's end that it cannot be kept.
  [[nodiscard]] bool names_promise() const {
    return syncs || writing.mode == open_mode::overwrite || writing.durability != durability::none || writing.atomic ||
           writing.hidden_until_closed || writing.delete_on_close;
  }
  /// Whether nothing was named that a system can refuse: all else are hints.
  [[nodiscard]] bool must_work() const {
    const bool caches = writing.caching < caching::drop && reading.caching < caching::drop;
    return method.empty() && !names_promise() && caches && !writing.temporary;
  }
  [[nodiscard]] std::string label() const {
    return name + (method.empty() ? "" : ", " + method) + (profile.empty() ? "" : ", profile " + profile);
  }
};

/// How far a trial's program came.
enum class trial_stage : std::uint8_t { start, open, write, sync, close, end, differs };

/// What a trial's program tells of itself, in memory that it shares: it may be refused all else.
struct trial_report {
  trial_stage stage = trial_stage::start;  ///< in which it failed, if it is not `end`
  int error = 0;                           ///< as errno
  bool is_foreign = false;                 ///< another exception than freshet::error
  bool names_file = false;
  char operation[64] = {};
  char message[512] = {};
};

/// The bytes that every trial's file has in the end, and a part of them. Computed once, before the processes are made.
[[nodiscard]] inline const std::string& trial_content() {
  static const std::string bytes = bytes_from(0, changing_bytes);
  return bytes;
}

[[nodiscard]] inline std::string content_before(const file_trial& trial) {
  if (!trial.writes()) return trial_content().substr(0, trial.bytes);
  if (trial.does != trial_program::edited_stream) return std::string(10'000, 'b');
  std::string content = trial_content().substr(0, trial.bytes);
  content.replace(trial.bytes / 3, trial.bytes / 3, trial.bytes / 3, 'b');  // which the program puts right
  return content;
}

[[nodiscard]] inline std::string content_after(const file_trial& trial) {
  const std::string before = trial.writing.mode == open_mode::append ? content_before(trial) : "";
  return before + trial_content().substr(0, trial.bytes);
}

namespace file_trials {

[[nodiscard]] inline std::filesystem::path profile_beside(const std::filesystem::path& directory) {
  return directory.parent_path() / (directory.filename().string() + ".profile");
}

// With the same method for all that it can do, in small blocks.
inline void save_profile_of(const std::string& method, const std::filesystem::path& directory) {
  const auto* const entry = detail::find_method(method);
  std::error_code error;
  file_system_profile profile;
  profile.key = detail::os::file_system_key(detail::os::file::open_existing(directory, error));
  for (auto& winner : profile.winners) winner = write_settings{.method = method, .block = 256 << 10};
  if (entry->make_reading != nullptr && entry->reads_unasked)
    profile.cold = profile.warm = read_settings{.method = method, .block = 256 << 10};
  save_profile(profile_beside(directory), profile);
}

inline void note(const freshet::error& error, const std::filesystem::path& path, trial_report& report) {
  report.error = error.code().default_error_condition().value();
  std::strncpy(report.operation, error.operation().c_str(), sizeof report.operation - 1);
  std::strncpy(report.message, error.what(), sizeof report.message - 1);
  report.names_file = std::string_view{error.what()}.find(path.string()) != std::string_view::npos;
}

// Pieces of one byte up to 3 MiB, which are copied, or written and read without a copy.
class pieces {
 public:
  explicit pieces(std::size_t bytes) : left_{trial_content().data(), bytes} {}
  [[nodiscard]] std::string_view next() {
    static constexpr std::size_t lengths[] = {1, 4096, 70'001, 300'000, std::size_t{3} << 20};
    const std::string_view piece = left_.substr(0, lengths[number_++ % std::size(lengths)]);
    left_.remove_prefix(piece.size());
    return piece;
  }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
  std::size_t number_ = 0;
};

inline void run_writer(const file_trial& trial, const writer_options& options, const std::filesystem::path& path,
                       trial_stage& stage) {
  writer out{path, options};
  stage = trial_stage::write;
  pieces all{trial.bytes};
  bool is_flushed = false;
  while (all.left() != 0) {
    out.write(all.next());
    if (!is_flushed && all.left() < trial.bytes / 2) out.flush();
    is_flushed = is_flushed || all.left() < trial.bytes / 2;
  }
  stage = trial_stage::sync;
  if (trial.syncs) out.sync();
  stage = trial_stage::close;
  out.close();
}

template <class Stream>
void require(const Stream& stream) {
  if (stream) return;
  if (stream.last_error()) throw freshet::error{*stream.last_error()};
  throw std::ios_base::failure{"the stream failed without an error"};
}

template <class Stream>
void put_all(Stream& out, std::size_t from, std::size_t length) {
  for (std::size_t done = 0; done < length;) {
    const std::size_t piece = std::min<std::size_t>(length - done, done % 3 == 0 ? 100'000 : 1000);
    out.write(trial_content().data() + from + done, static_cast<std::streamsize>(piece));
    done += piece;
  }
  require(out);
}

// Returns whether all that the stream gives is the trial's content.
template <class Stream>
[[nodiscard]] bool gets_all(Stream& in, std::size_t bytes) {
  std::string got(std::size_t{100'003}, '\0');
  for (std::size_t done = 0;;) {
    in.read(got.data(), static_cast<std::streamsize>(got.size()));
    const auto length = static_cast<std::size_t>(in.gcount());
    if (in.last_error()) throw freshet::error{*in.last_error()};
    if (length > bytes - done || std::memcmp(got.data(), trial_content().data() + done, length) != 0) return false;
    done += length;
    if (!in) return done == bytes;
  }
}

inline void run_stream(const file_trial& trial, const writer_options& options, const std::filesystem::path& path,
                       trial_stage& stage) {
  ofstream out{path, options};
  require(out);
  stage = trial_stage::write;
  put_all(out, 0, trial.bytes);
  stage = trial_stage::close;
  out.close();
  require(out);
}

inline bool run_fstream(const file_trial& trial, const writer_options& options, const std::filesystem::path& path,
                        trial_stage& stage) {
  const bool edits = trial.does == trial_program::edited_stream;
  fstream file{path, std::ios::in | std::ios::out | (edits ? std::ios::openmode{} : std::ios::trunc), options};
  require(file);
  stage = trial_stage::write;
  if (edits) file.seekp(static_cast<std::streamoff>(trial.bytes / 3));
  edits ? put_all(file, trial.bytes / 3, trial.bytes / 3) : put_all(file, 0, trial.bytes);
  file.seekg(0);
  require(file);
  if (!gets_all(file, trial.bytes)) return false;
  file.clear();
  stage = trial_stage::close;
  file.close();
  require(file);
  return true;
}

inline bool run_reader(const file_trial& trial, const reader_options& options, const std::filesystem::path& path,
                       trial_stage& stage) {
  reader in{path, options};
  stage = trial_stage::write;
  std::string got(std::size_t{3} << 20, '\0');
  pieces all{trial.bytes};
  while (all.left() != 0) {
    const std::string_view expected = all.next();
    const std::size_t length = in.read(std::span{got.data(), expected.size()});
    if (length != expected.size() || std::memcmp(got.data(), expected.data(), length) != 0) return false;
  }
  if (in.read(std::span{got.data(), 1}) != 0) return false;
  stage = trial_stage::close;
  in.close();
  return true;
}

inline bool run_reading_stream(const file_trial& trial, const reader_options& options,
                               const std::filesystem::path& path, trial_stage& stage) {
  ifstream in{path, options};
  require(in);
  stage = trial_stage::write;
  if (!gets_all(in, trial.bytes)) return false;
  stage = trial_stage::close;
  in.close();
  return true;
}

// Returns whether it read what it should.
inline bool run_program(const file_trial& trial, const std::filesystem::path& path, trial_stage& stage) {
  writer_options writing = trial.writing;
  reader_options reading = trial.reading;
  if (!trial.method.empty()) writing.method = reading.method = trial.method;
  writing.ordered = trial.keeps_order();
  switch (trial.does) {
    case trial_program::writer:
      return run_writer(trial, writing, path, stage), true;
    case trial_program::stream:
      return run_stream(trial, writing, path, stage), true;
    case trial_program::reader:
      return run_reader(trial, reading, path, stage);
    case trial_program::reading_stream:
      return run_reading_stream(trial, reading, path, stage);
    case trial_program::edited_stream:
    case trial_program::temporary_stream:
      return run_fstream(trial, writing, path, stage);
  }
  return false;
}

}  // namespace file_trials

/// Puts what the trial needs into `directory`, and its profile beside it. The library is used in a child process only:
/// it remembers what it learns of its surroundings.
inline void prepare(const file_trial& trial, const std::filesystem::path& directory) {
  static_cast<void>(trial_content());
  if (trial.has_file_before()) std::ofstream{directory / trial_file, std::ios::binary} << content_before(trial);
  if (trial.profile.empty()) return;
  static_cast<void>(true_in_child([&] {
    file_trials::save_profile_of(trial.profile, directory);
    return true;
  }));
}

/// Makes the trial in this process, with the file in `directory`. Prepare it before, in the surroundings of everybody.
inline void run(const file_trial& trial, const std::filesystem::path& directory, trial_report& report) {
  const auto profile = trial.profile.empty() ? "none" : file_trials::profile_beside(directory).string();
  ::setenv("FRESHET_PROFILE", profile.c_str(), 1);
  const auto path = trial.writing.temporary ? directory : directory / trial_file;
  report.stage = trial_stage::open;
  try {
    report.stage = file_trials::run_program(trial, path, report.stage) ? trial_stage::end : trial_stage::differs;
  } catch (const freshet::error& error) {
    file_trials::note(error, path, report);
  } catch (const std::exception& other) {
    report.is_foreign = true;
    std::strncpy(report.message, other.what(), sizeof report.message - 1);
  }
}

}  // namespace freshet::test

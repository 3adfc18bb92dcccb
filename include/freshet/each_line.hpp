/// @file
/// freshet::each_line: a function applied to every line of a file, or of many, on all cores; its results in order.
///
/// It is a library of its own, which needs oneTBB: the CMake target is freshet::each_line, pkg-config's name
/// freshet-each-line.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <type_traits>

#include <freshet/detail/line_treatment.hpp>
#include <freshet/error.hpp>
#include <freshet/line_sink.hpp>
#include <freshet/options.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

namespace freshet {

/// A line that could not be treated: the function threw. What it threw is nested (std::rethrow_if_nested).
class line_error : public std::runtime_error, public std::nested_exception {
 public:
  /// Nests the exception that is being handled.
  /// @param path    the file; empty where it has no name
  /// @param line    its number; the first is 1
  /// @param reason  what the function said
  line_error(const std::filesystem::path& path, std::uint64_t line, std::string_view reason);

  /// The file; empty where it has no name.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The line's number; the first is 1.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  std::filesystem::path path_;
  std::uint64_t line_;
};

/// A file to read, and the file to write what becomes of it, which may be the same.
struct file_pair {
  std::filesystem::path in;   ///< must exist
  std::filesystem::path out;  ///< appears, or is replaced, when all of `in` is treated
};

/// How far it is, and in the end what was done.
struct each_line_progress {
  std::uint64_t files = 0;          ///< that are complete
  std::uint64_t lines = 0;          ///< that were treated
  std::uint64_t bytes_read = 0;     ///< of them, their ends included
  std::uint64_t bytes_written = 0;  ///< that the function wrote of them
};

/// How lines are treated. With the defaults, everything takes no more than 40 MiB, whatever the number of threads, and
/// one line with its result for each of them.
struct each_line_options {
  /// Threads that treat lines, the calling one among them: at most 1024. Default: 0, as many as there are processors
  /// for this process.
  unsigned threads = 0;

  /// Bytes that a thread takes at a time, rounded to whole lines; a smaller file is read, treated and written by one
  /// thread as a whole. Default: 0, 256 KiB, or less where there are many threads.
  std::size_t block = 0;

  /// Blocks in memory, those being read and written included. Default: 0, two for each thread, or fewer where there are
  /// many.
  unsigned in_flight = 0;

  /// Bytes that a line may have at most, its "\n" not counted; a longer one is an error. Default: 16 MiB.
  std::size_t longest = std::size_t{16} << 20;

  /// Whether the function is given a line with its "\n" or "\r\n", if it has one. Default: false.
  bool keep_ends = false;

  /// How files are read. What is zero comes from the profile, a block as large as memory allows.
  reader_options input{};

  /// How files are written: hidden until they are complete, unless their `mode` keeps what is there. What is zero comes
  /// from the profile, a block as large as memory allows.
  writer_options output{};

  /// Called with one of the files, as it stands among those given, when all of it was treated, right before its output
  /// appears; what it throws gives that file up and ends the run. By several threads at once, for different files.
  /// Default: every file appears.
  std::function<void(const file_pair&)> accept{};

  /// Called with what was done so far, some ten times a second and once in the end: by different threads, but never by
  /// two at once. What it throws ends the run. Default: nobody is told.
  std::function<void(const each_line_progress&)> progress{};

  /// Asked before each block: when it is to stop, the run ends with a freshet::error (errc::operation_canceled).
  std::stop_token stop{};
};

/// What each_line calls: `function(std::string_view line, freshet::line_sink& out)`. It may write nothing, one line or
/// many, each with its "\n"; what it returns is ignored. The line is valid until it returns.
template <typename Function>
concept line_function = std::invocable<Function&, std::string_view, line_sink&>;

/// What each_line_with calls for a function: `make()`.
template <typename Make>
concept line_function_maker = std::invocable<Make&> && line_function<std::invoke_result_t<Make&>>;

namespace detail {

each_line_progress treat_files(std::span<const file_pair> files, const treatment_maker& make,
                               const each_line_options& options);
each_line_progress treat_stream(reader& in, writer& out, const treatment_maker& make, const each_line_options& options);

/// All threads share `function`.
template <typename Function>
treatment_maker sharing(const Function& function) {
  return [&function] { return std::make_unique<treatment_by<const Function&>>(function); };
}

/// Each thread has one of its own.
template <typename Make>
treatment_maker making(Make& make) {
  using function = std::remove_cvref_t<std::invoke_result_t<Make&>>;
  return [&make] { return std::make_unique<treatment_by<function>>(std::invoke(make)); };
}

}  // namespace detail

/// Calls `function` for every line of `files`, on several threads, and writes the results of each file, in order, to
/// its `out`. Files are begun in the order given, large ones one after another, so that a disk has one of them to read
/// at a time; each appears when it is complete, as writer_options::hidden_until_closed says.
///
/// A line ends with "\n" or "\r\n", which do not belong to it. What follows the last of these is a line, too, if there
/// is anything. All other bytes are a line's data, NUL and a lone "\r" included.
///
/// After an exception the files that were finished stay, those after the one that failed perhaps among them; of the
/// others there is nothing. Of several failures the first one in the order of files and lines is reported.
/// @param files     whose outputs must be different, and none of them another one's input
/// @param function  is called by several threads at once
/// @param options   how many threads, and with how much memory
/// @return what was done
/// @throws line_error      when `function` threw a std::exception; what is none is passed on unchanged
/// @throws freshet::error  when a file cannot be read or written, a line is too long (errc::message_size), an option is
///                         invalid, or a stop was asked for (errc::operation_canceled)
template <typename Function>
requires line_function<const Function> each_line_progress each_line(std::span<const file_pair> files,
                                                                    const Function& function,
                                                                    const each_line_options& options = {}) {
  return detail::treat_files(files, detail::sharing(function), options);
}
/// As each_line() of one file, `in`, whose results become `out`.
template <typename Function>
requires line_function<const Function> each_line_progress each_line(const std::filesystem::path& in,
                                                                    const std::filesystem::path& out,
                                                                    const Function& function,
                                                                    const each_line_options& options = {}) {
  const file_pair file{in, out};
  return detail::treat_files({&file, 1}, detail::sharing(function), options);
}
/// As each_line() of what `in` has yet to read, for pipes too; the results are appended to `out`. Of the options, input
/// and output do not count. Both stay open, with no promise on how much was read or written where it fails.
template <typename Function>
requires line_function<const Function> each_line_progress each_line(reader& in, writer& out, const Function& function,
                                                                    const each_line_options& options = {}) {
  return detail::treat_stream(in, out, detail::sharing(function), options);
}

/// As each_line(), for functions that no two threads may share: `make` is called by each thread that takes part, one at
/// a time, for a function of its own. What `make` throws ends the run.
template <line_function_maker Make>
each_line_progress each_line_with(std::span<const file_pair> files, Make make, const each_line_options& options = {}) {
  return detail::treat_files(files, detail::making(make), options);
}
/// As each_line_with() of one file, `in`, whose results become `out`.
template <line_function_maker Make>
each_line_progress each_line_with(const std::filesystem::path& in, const std::filesystem::path& out, Make make,
                                  const each_line_options& options = {}) {
  const file_pair file{in, out};
  return detail::treat_files({&file, 1}, detail::making(make), options);
}
/// As each_line_with() of what `in` has yet to read; the results are appended to `out`.
template <line_function_maker Make>
each_line_progress each_line_with(reader& in, writer& out, Make make, const each_line_options& options = {}) {
  return detail::treat_stream(in, out, detail::making(make), options);
}

}  // namespace freshet

/// @file
/// freshet::each_line(), which applies a function to every line of one or many files on all cores and writes the
/// results in order.
///
/// It is a separate library, because it needs oneTBB. Its CMake target is freshet::each_line; its pkg-config name is
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

#include <freshet/detail/export.hpp>
#include <freshet/detail/line_transform.hpp>
#include <freshet/error.hpp>
#include <freshet/line_sink.hpp>
#include <freshet/options.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#ifdef _LIBCPP_HAS_NO_EXPERIMENTAL_STOP_TOKEN
#error "<freshet/each_line.hpp> needs std::stop_token: libc++ before version 20 has it with -fexperimental-library"
#endif

namespace freshet {

/// The function threw for a line. The exception it threw is nested: use std::rethrow_if_nested().
class FRESHET_API line_error : public std::runtime_error, public std::nested_exception {
 public:
  /// Nests the exception that is currently being handled.
  /// @param path    the file; empty if it has no name
  /// @param line    the line's number, counted from 1
  /// @param reason  what() of the exception
  line_error(const std::filesystem::path& path, std::uint64_t line, std::string_view reason);

  /// Returns the file; empty if it has no name.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the line's number, counted from 1.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  std::filesystem::path path_;
  std::uint64_t line_;
};

/// A file to read and the file for its results, which may be the same if each_line_options::output replaces it
/// (open_mode::truncate or create_new).
struct file_pair {
  std::filesystem::path in;   ///< must exist
  std::filesystem::path out;  ///< created or replaced when all of `in` has been transformed
};

/// What has been done so far.
struct each_line_progress {
  std::uint64_t files = 0;          ///< number of files that are complete
  std::uint64_t lines = 0;          ///< number of lines that were transformed
  std::uint64_t bytes_read = 0;     ///< size of these lines, including their ends
  std::uint64_t bytes_written = 0;  ///< what the function wrote for these lines
};

/// Options of each_line(). With the defaults it uses at most 40 MiB of memory with any number of threads, plus one line
/// and its result for each thread.
struct each_line_options {
  /// The number of threads that transform lines, including the calling one: at most 1024. There are fewer where the
  /// system refuses some, and where other runs of this process have them: all runs together start no more than one of
  /// them asks for. Default: 0, the number of processors available to this process.
  unsigned threads = 0;

  /// Bytes that a thread takes at a time, rounded to whole lines. One thread reads, transforms and writes each file
  /// that is smaller. Default: 0, which means 256 KiB, or less with many threads.
  std::size_t block = 0;

  /// Blocks in memory, including those being read and written. Default: 0, which means two for each thread, or fewer
  /// with many threads.
  unsigned in_flight = 0;

  /// The largest length of a line in bytes, without its "\n"; a longer line is an error. Default: 16 MiB.
  std::size_t longest = std::size_t{16} << 20;

  /// Whether lines are passed to the function with their "\n" or "\r\n". Default: false.
  bool keep_ends = false;

  /// How files are read, each of them: rate_limit holds for one file. Options that are zero come from the profile,
  /// whose block is made smaller if it exceeds the memory there is. Compressed and encrypted files are read as
  /// `decompression` and `key` say; expected_checksum needs a single file.
  reader_options input{};

  /// How files are written, each of them: rate_limit holds for one file. They are hidden until they are complete,
  /// unless `mode` keeps existing content. Options that are zero come from the profile, whose block is made smaller if
  /// it exceeds the memory there is. `compression` takes memory of its own, as documented there; `checksum`,
  /// `temporary` and `delete_on_close` are refused, because nothing of them would be left.
  writer_options output{};

  /// Called with an element of `files` when all of that file has been transformed, just before its output appears. If
  /// it throws, that output is discarded and the run ends. Several threads may call it at the same time for different
  /// files. Default: none; every output appears.
  std::function<void(const file_pair&)> accept{};

  /// Called with the progress about ten times a second and once at the end, by different threads but never by two at
  /// the same time. If it throws, the run ends. Default: none.
  std::function<void(const each_line_progress&)> progress{};

  /// Checked before each block. If a stop is requested, the run ends with a freshet::error (errc::operation_canceled).
  /// Default: never stops.
  std::stop_token stop{};
};

/// A function for each_line(), called as `function(std::string_view line, freshet::line_sink& out)`. It may write any
/// number of lines, each with its "\n". Its result is ignored. `line` is valid until it returns.
template <typename Function>
concept line_function = std::invocable<Function&, std::string_view, line_sink&>;

/// A function for each_line_with() that returns a line_function, called as `make()`.
template <typename Make>
concept line_function_maker = std::invocable<Make&> && line_function<std::invoke_result_t<Make&>>;

namespace detail {

FRESHET_API each_line_progress transform_files(std::span<const file_pair> files, const line_transform_maker& make,
                                               const each_line_options& options);
FRESHET_API each_line_progress transform_stream(reader& in, writer& out, const line_transform_maker& make,
                                                const each_line_options& options);

/// What these functions do that throw, for programs without exceptions: see failure.hpp.
namespace unthrowing {

FRESHET_API each_line_progress transform_files(std::span<const file_pair> files, const line_transform_maker& make,
                                               const each_line_options& options) noexcept;
FRESHET_API each_line_progress transform_stream(reader& in, writer& out, const line_transform_maker& make,
                                                const each_line_options& options) noexcept;

}  // namespace unthrowing

/// Makes transforms that all call the same `function`.
template <typename Function>
line_transform_maker make_shared_transforms(const Function& function) {
  return [&function] { return std::make_unique<line_transform_by<const Function&>>(function); };
}

/// Makes transforms with a function of their own.
template <typename Make>
line_transform_maker make_own_transforms(Make& make) {
  using function = std::remove_cvref_t<std::invoke_result_t<Make&>>;
  return [&make] { return std::make_unique<line_transform_by<function>>(std::invoke(make)); };
}

}  // namespace detail

/// Calls `function` for every line of `files` on several threads and writes the results of each file, in order, to its
/// `out`. Files are started in the given order. Large files are read one after another, so that the disk reads one at a
/// time. Each output appears when it is complete; see writer_options::hidden_until_closed.
///
/// A line ends with "\n" or "\r\n", which are not part of it. Data after the last line end is also a line. All other
/// bytes belong to the line, including NUL and "\r" without "\n".
///
/// After an exception, finished outputs remain, which may include outputs of later files than the one that failed. Of
/// all other outputs nothing remains. If there are several failures, the first one in the order of files and lines is
/// reported.
/// @param files     their outputs must differ, and no output may be another file's input
/// @param function  called by several threads at the same time
/// @param options   the number of threads, the memory, and how to read and write. Default: see each_line_options
/// @return what was done
/// @throws line_error      if `function` threw a std::exception; other exceptions are passed on unchanged
/// @throws freshet::error  if a file cannot be read or written, a line is too long (errc::message_size), an option is
///                         invalid, or a stop was requested (errc::operation_canceled)
template <typename Function>
requires line_function<const Function> each_line_progress each_line(std::span<const file_pair> files,
                                                                    const Function& function,
                                                                    const each_line_options& options = {}) {
  return detail::calls::transform_files(files, detail::make_shared_transforms(function), options);
}
/// Transforms the lines of one file, `in`, into the file `out`; see the first each_line().
template <typename Function>
requires line_function<const Function> each_line_progress each_line(const std::filesystem::path& in,
                                                                    const std::filesystem::path& out,
                                                                    const Function& function,
                                                                    const each_line_options& options = {}) {
  const file_pair file{in, out};
  return detail::calls::transform_files({&file, 1}, detail::make_shared_transforms(function), options);
}
/// Transforms the lines that `in` has not read yet and appends the results to `out`; see the first each_line(). Both
/// may be pipes, and both stay open. The options `input` and `output` do not apply. After an exception it is
/// unspecified how much was read and written.
template <typename Function>
requires line_function<const Function> each_line_progress each_line(reader& in, writer& out, const Function& function,
                                                                    const each_line_options& options = {}) {
  return detail::calls::transform_stream(in, out, detail::make_shared_transforms(function), options);
}

/// Like each_line(), for functions that threads cannot share: each thread calls `make`, one thread at a time, to get a
/// function of its own. If `make` throws, the run ends.
template <line_function_maker Make>
each_line_progress each_line_with(std::span<const file_pair> files, Make make, const each_line_options& options = {}) {
  return detail::calls::transform_files(files, detail::make_own_transforms(make), options);
}
/// Transforms the lines of one file, `in`, into the file `out`; see the first each_line_with().
template <line_function_maker Make>
each_line_progress each_line_with(const std::filesystem::path& in, const std::filesystem::path& out, Make make,
                                  const each_line_options& options = {}) {
  const file_pair file{in, out};
  return detail::calls::transform_files({&file, 1}, detail::make_own_transforms(make), options);
}
/// Transforms the lines that `in` has not read yet and appends the results to `out`; see the first each_line_with().
template <line_function_maker Make>
each_line_progress each_line_with(reader& in, writer& out, Make make, const each_line_options& options = {}) {
  return detail::calls::transform_stream(in, out, detail::make_own_transforms(make), options);
}

}  // namespace freshet

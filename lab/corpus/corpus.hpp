// Directories of text files that are to be processed line by line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace freshet::tool {

/// The number, size and content of the files.
struct corpus_plan {
  unsigned files = 1;
  std::uint64_t lines = 0;  ///< of each file
  std::uint64_t chars = 0;  ///< of each line, without its "\n"
  bool vary = false;        ///< `lines` and `chars` are means of log-normal distributions
  std::uint64_t seed = 1;
};

/// The most files that a corpus may have, because their names are numbers of five digits.
inline constexpr unsigned most_corpus_files = 99'999;

/// The name of a file, counted from 1: "00001.txt".
[[nodiscard]] std::string corpus_file_name(unsigned number);

/// Bytes of all files together. This is exact unless they vary; then it is the exact number of lines times their mean
/// length. @throws std::invalid_argument  if no file system can hold that much
[[nodiscard]] std::uint64_t corpus_bytes(const corpus_plan& plan);

/// What was written so far.
struct corpus_progress {
  unsigned files = 0;  ///< complete ones
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
};

/// Creates the files of `plan` in `directory` from random characters "0" to "o". The content of a file depends on its
/// number and on the plan, but not on the number of files. Calls `on_progress` now and then. After a failure, complete
/// files stay, and the others do not exist.
/// @param force  replace existing files, and try even if the free space seems too small
/// @throws freshet::error  if a file cannot be written; without `force` also, before anything is written, if a file
///                         exists or the free space is too small; interrupted
corpus_progress make_corpus(const std::filesystem::path& directory, const corpus_plan& plan, bool force,
                            const std::function<void(const corpus_progress&)>& on_progress);

}  // namespace freshet::tool

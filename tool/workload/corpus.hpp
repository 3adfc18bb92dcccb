// Text files to be processed line by line: a directory of them, as many and as large as asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace freshet::tool {

/// What the files are to be like.
struct corpus_plan {
  unsigned files = 1;
  std::uint64_t lines = 0;  ///< of each file
  std::uint64_t chars = 0;  ///< of each line, its "\n" not counted
  bool vary = false;        ///< `lines` and `chars` are means of log-normal distributions
  std::uint64_t seed = 1;
};

/// Files that a corpus may have at most: their names are numbers of five digits.
inline constexpr unsigned most_corpus_files = 99'999;

/// "00001.txt" is the first one's.
[[nodiscard]] std::string corpus_file_name(unsigned number);

/// Bytes of all files together: exactly, unless they vary; then as many lines as they will have, of mean length.
/// @throws std::invalid_argument  where no file system can hold as much
[[nodiscard]] std::uint64_t corpus_bytes(const corpus_plan& plan);

/// What was made so far.
struct corpus_progress {
  unsigned files = 0;  ///< that are complete
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
};

/// Makes the files of `plan` in `directory`, of random characters from "0" to "o". What a file holds depends on the
/// plan without its number of files, and on the file's own number. `on_progress` is called now and then. A file that
/// is not finished, whatever happens, is not left there; those before it are.
/// @param force  replace files that are there, and try even if the space seems not to suffice
/// @throws freshet::error  without `force` and before anything is written, where a file is there already, or the space
///                         does not suffice; and when a file can't be written; interrupted
corpus_progress make_corpus(const std::filesystem::path& directory, const corpus_plan& plan, bool force,
                            const std::function<void(const corpus_progress&)>& on_progress);

}  // namespace freshet::tool

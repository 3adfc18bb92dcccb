// Shared by the tests of compression: content, files, and the tool `zstd`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "src/filter/crypto.hpp"
#include "src/filter/running_checksum.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet::test {

constexpr std::size_t frame_size = std::size_t{4} << 20;

/// Bytes of which some compress well, some hardly, and some not at all.
[[nodiscard]] inline std::string mixed_bytes(std::size_t length, std::uint64_t seed = 1) {
  std::mt19937_64 random{seed};
  std::string bytes;
  bytes.reserve(length + 4096);
  while (bytes.size() < length) {
    const std::size_t piece = 1 + random() % 3000;
    switch (random() % 4) {
      case 0:
        bytes.append(piece, static_cast<char>(random() % 256));
        break;
      case 1:
        bytes += bytes_from(random() % 1000 * 8, piece);
        break;
      case 2:
        for (std::size_t i = 0; i < piece; i += 8) bytes += std::to_string(random() % 100'000'000);
        break;
      default:
        for (std::size_t i = 0; i < piece; ++i) bytes += static_cast<char>(random());
    }
  }
  bytes.resize(length);
  return bytes;
}

[[nodiscard]] inline writer_options compressed(int level = 3, unsigned threads = 0) {
  writer_options options;
  options.compression = {.format = compression_format::zstd, .level = level, .threads = threads};
  return options;
}
[[nodiscard]] inline reader_options decompressed(decompression how = decompression::zstd) {
  reader_options options;
  options.decompression = how;
  return options;
}

/// Why compression cannot be tested; empty if it can.
[[nodiscard]] inline std::string why_no_compression() {
  const temporary_directory directory;
  std::error_code failure;
  writer out{directory / "file", compressed(), failure};
  return failure == std::errc::operation_not_supported ? "this freshet was built without libzstd" : "";
}
/// Why files cannot be sealed, compressed and compared with a checksum; empty if they can.
[[nodiscard]] inline std::string why_no_filters() {
  if (!detail::why_no_encryption().empty()) return std::string{detail::why_no_encryption()};
  return detail::running_checksum::is_available() ? why_no_compression() : "this freshet was built without libxxhash";
}
[[nodiscard]] inline std::string why_no_zstd_tool() {
  return std::system("command -v zstd >/dev/null") == 0 ? "" : "the tool zstd is not installed";
}

/// Runs a command of the shell; returns whether it succeeded.
[[nodiscard]] inline bool runs(const std::string& command) { return std::system(command.c_str()) == 0; }
[[nodiscard]] inline std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

inline void put_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream out{path, std::ios::binary};
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

inline void write_compressed(const std::filesystem::path& path, std::string_view content,
                             const writer_options& options = compressed()) {
  writer out{path, options};
  out.write(content);
  EXPECT_EQ(out.tell(), content.size());
  out.close();
}

/// What could be read before the end or an error, and the error.
struct read_result {
  std::string bytes;
  std::error_code failure;
};
[[nodiscard]] inline read_result read_all(const std::filesystem::path& path,
                                          const reader_options& options = decompressed()) {
  read_result result;
  reader in{path, options, result.failure};
  while (!result.failure) {
    const auto piece = in.available(result.failure);
    if (piece.empty()) break;
    result.bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    in.advance(piece.size());
  }
  return result;
}

/// Whether `path` holds exactly `content`; a failure's message does not print megabytes.
[[nodiscard]] inline testing::AssertionResult holds(const std::filesystem::path& path, std::string_view content) {
  const auto [bytes, failure] = read_all(path);
  if (failure) return testing::AssertionFailure() << failure.message() << " after " << bytes.size() << " bytes";
  if (bytes == content) return testing::AssertionSuccess();
  return testing::AssertionFailure() << bytes.size() << " bytes instead of " << content.size() << " or others";
}

class compression_test : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
  }

  temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file.zst";
};

}  // namespace freshet::test

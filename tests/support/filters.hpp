// What may stand between a program and its file, drawn at random.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>

#include <freshet/encryption.hpp>
#include <freshet/options.hpp>
#include <freshet/reader.hpp>

namespace freshet::test {

/// The filters of one file. All sealed files have the same key.
struct filters {
  bool checksum = false;
  bool compression = false;
  bool encryption = false;

  /// Whether the file holds other bytes than the program writes.
  [[nodiscard]] bool change_bytes() const noexcept { return compression || encryption; }

  /// `options` with these filters.
  [[nodiscard]] writer_options apply(writer_options options) const {
    if (checksum) options.checksum = checksum_algorithm::xxh3;
    if (compression) options.compression = {.format = compression_format::zstd, .level = 1};
    if (encryption) options.key = &key();
    return options;
  }
  [[nodiscard]] reader_options apply(reader_options options) const {
    if (compression) options.decompression = decompression::zstd;
    if (encryption) options.key = &key();
    return options;
  }

  /// What a program reads from `path`, whose checksum the writer returned as `expected`.
  [[nodiscard]] std::string content_of(const std::filesystem::path& path, const freshet::checksum& expected) const {
    reader_options options = apply(reader_options{});
    options.expected_checksum = expected;
    reader in{path, options};
    std::string content;
    while (!in.available().empty()) {
      const auto bytes = in.available();
      content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      in.advance(bytes.size());
    }
    return content;
  }

  friend std::ostream& operator<<(std::ostream& out, const filters& some) {
    return out << (some.checksum ? "checksum " : "") << (some.compression ? "zstd " : "")
               << (some.encryption ? "sealed" : "");
  }

 private:
  [[nodiscard]] static const encryption_key& key() {
    static const encryption_key instance = [] {
      std::array<std::byte, encryption_key::size> bytes;
      bytes.fill(std::byte{7});
      return encryption_key{bytes};
    }();
    return instance;
  }
};

inline void showValue(const filters& some, std::ostream& out) { out << some; }  // NOLINT: RapidCheck's name

/// Any filters, none among them.
[[nodiscard]] inline rc::Gen<filters> any_filters() {
  return rc::gen::map(rc::gen::inRange(0, 8), [](int bits) {
    return filters{.checksum = (bits & 1) != 0, .compression = (bits & 2) != 0, .encryption = (bits & 4) != 0};
  });
}

}  // namespace freshet::test

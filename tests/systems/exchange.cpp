// Files that one processor writes and another reads: exchange write|read DIRECTORY
// Numbers in both byte orders, checksums, compressed and sealed files, and a profile. What is read wrongly ends it
// with 1.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/encryption.hpp>
#include <freshet/endian.hpp>
#include <freshet/profile.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

namespace {

using freshet::reader;
using freshet::reader_options;
using freshet::writer;
using freshet::writer_options;

// Several frames, chunks and blocks; half of it can be compressed.
std::string make_text() {
  constexpr std::size_t size = 5 << 20;
  std::mt19937_64 random{20260101};
  std::string text;
  while (text.size() < size) {
    text += "line " + std::to_string(random() % 1000) + '\n';
    for (int i = 0; i < 8; ++i) text += static_cast<char>(random() % 256);
  }
  return text;
}

freshet::encryption_key make_key() {
  std::array<std::byte, freshet::encryption_key::size> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 200);
  return freshet::encryption_key{bytes};
}

constexpr unsigned cost = 10;
constexpr std::string_view passphrase = "correct horse battery staple";
constexpr auto zstd = freshet::compression{.format = freshet::compression_format::zstd};

struct numbers {
  std::int16_t small = -12345;
  std::uint32_t middle = 0xFEDCBA98;
  std::int64_t large = -0x0123456789ABCDEF;
  float single_precision = -1.5e-10F;
  double double_precision = 3.141592653589793;
  std::vector<std::uint32_t> many = {1, 0x80, 0x8000, 0x800000, 0x80000000};
  std::uint64_t short_unsigned = 300;
  std::int64_t short_signed = -70'000;
  std::string name = "na\xC3\xAFve";
  friend bool operator==(const numbers&, const numbers&) = default;
};

template <std::endian Order>
void write_numbers(const std::filesystem::path& path) {
  const numbers all;
  writer file{path};
  const freshet::binary_writer<Order> out{file};
  out.write(all.small);
  out.write(all.middle);
  out.write(all.large);
  out.write(all.single_precision);
  out.write(all.double_precision);
  out.write_array(all.many);
  out.write_varint(all.short_unsigned);
  out.write_varint(all.short_signed);
  out.write_string(all.name);
  file.close();
}

template <std::endian Order>
bool holds_numbers(const std::filesystem::path& path) {
  numbers all;
  all.many.assign(all.many.size(), 0);
  reader file{path};
  const freshet::binary_reader<Order> in{file};
  all.small = in.template read<std::int16_t>();
  all.middle = in.template read<std::uint32_t>();
  all.large = in.template read<std::int64_t>();
  all.single_precision = in.template read<float>();
  all.double_precision = in.template read<double>();
  in.read_array(all.many);
  all.short_unsigned = in.template read_varint<std::uint64_t>();
  all.short_signed = in.template read_varint<std::int64_t>();
  all.name = in.read_string();
  return all == numbers{};
}

freshet::file_system_profile make_profile() {
  return {
      .key = "uuid:01234567-89ab-cdef-0123-456789abcdef",
      .type = "ext4",
      .mount_options = "rw,relatime",
      .kernel = "6.18.44",
      .measured = "2026-11-22T11:58:07Z",
      .size = std::uint64_t{5} << 32,
      .winners = {freshet::write_settings{.method = "buffered", .block = 65536, .depth = 1, .slowest_expected = 812.5},
                  std::nullopt, freshet::write_settings{.method = "direct", .block = 4U << 20, .depth = 2}},
      .cold = freshet::read_settings{.method = "direct", .block = 1U << 20, .depth = 4},
      .warm = std::nullopt};
}

bool holds_profile(const std::filesystem::path& path) {
  const freshet::profile all = freshet::read_profile(path);
  const freshet::file_system_profile wanted = make_profile();
  const auto found = all.file_systems.find(wanted.key);
  if (!all.warnings.empty() || found == all.file_systems.end()) return false;
  const freshet::file_system_profile& entry = found->second;
  return entry.type == wanted.type && entry.mount_options == wanted.mount_options && entry.kernel == wanted.kernel &&
         entry.measured == wanted.measured && entry.size == wanted.size && entry.winners == wanted.winners &&
         entry.cold == wanted.cold && entry.warm == wanted.warm;
}

freshet::checksum write_text(const std::filesystem::path& path, std::string_view text, const writer_options& how) {
  writer out{path, how};
  out.write(text);
  out.close();
  return out.checksum();
}

std::string read_text(const std::filesystem::path& path, const reader_options& how) {
  reader in{path, how};
  std::string text(in.size(), '\0');
  text.resize(in.read(std::span{text}));
  return text;
}

void write_all(const std::filesystem::path& directory) {
  const std::string text = make_text();
  const auto key = make_key();
  const auto phrase = freshet::encryption_key::from_passphrase(passphrase, cost);
  write_numbers<std::endian::little>(directory / "little");
  write_numbers<std::endian::big>(directory / "big");
  write_text(directory / "compressed.zst", text, {.compression = zstd});
  write_text(directory / "sealed", text, {.key = &key});
  write_text(directory / "sealed-passphrase", text, {.key = &phrase});
  write_text(directory / "sealed-compressed", text, {.key = &key, .compression = zstd});
  const auto sum = write_text(directory / "plain", text, {.checksum = freshet::checksum_algorithm::xxh3});
  writer sums{directory / "plain.xxh3"};
  freshet::write<std::endian::big>(sums, sum.value);
  sums.close();
  std::filesystem::remove(directory / "profile.toml");
  freshet::save_profile(directory / "profile.toml", make_profile());
}

int wrong = 0;
void expect(bool is_right, const char* what) {
  std::printf("%s: %s\n", what, is_right ? "as it was written" : "WRONG");
  wrong += is_right ? 0 : 1;
}

void read_all(const std::filesystem::path& directory) {
  const std::string text = make_text();
  const auto key = make_key();
  const auto phrase = freshet::encryption_key::from_passphrase(passphrase);
  constexpr auto automatic = freshet::decompression::automatic;
  expect(holds_numbers<std::endian::little>(directory / "little"), "little-endian numbers");
  expect(holds_numbers<std::endian::big>(directory / "big"), "big-endian numbers");
  expect(read_text(directory / "compressed.zst", {.decompression = automatic}) == text, "compressed");
  expect(read_text(directory / "sealed", {.key = &key}) == text, "sealed");
  expect(read_text(directory / "sealed-passphrase", {.key = &phrase}) == text, "sealed with a passphrase");
  expect(read_text(directory / "sealed-compressed", {.key = &key, .decompression = automatic}) == text,
         "compressed and sealed");
  reader sums{directory / "plain.xxh3"};
  const freshet::checksum sum{freshet::checksum_algorithm::xxh3, freshet::read<std::endian::big, std::uint64_t>(sums)};
  expect(read_text(directory / "plain", {.expected_checksum = sum}) == text, "checksum");
  expect(holds_profile(directory / "profile.toml"), "profile");
}

}  // namespace

int main(int count, char** words) try {
  const std::string_view task = count == 3 ? words[1] : "";
  if (task == "write")
    write_all(words[2]);
  else if (task == "read")
    read_all(words[2]);
  else
    throw std::invalid_argument{"usage: exchange write|read DIRECTORY"};
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "exchange: %s\n", failure.what());
  return 1;
}

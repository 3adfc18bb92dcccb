// sound_file FILE: writes a second of a tone as a WAVE file, whose lengths are known, and written, at the end.
#include <freshet/endian.hpp>
#include <freshet/stream.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

using freshet::write;
using std::endian;

constexpr std::uint32_t samples_per_second = 8000;

// Writes how many bytes follow a length at `position`, and returns to the end.
void patch_length(freshet::ofstream& out, std::streamoff position) {
  const auto end = static_cast<std::streamoff>(out.tellp());
  out.seekp(position);
  write<endian::little>(out, static_cast<std::uint32_t>(end - position) - 4);
  out.seekp(end);
}

int main(int count, char** words) {
  const char* const path = count > 1 ? words[1] : "tone.wav";
  freshet::ofstream out{path};
  out << "RIFF";
  write<endian::little>(out, std::uint32_t{0});  // the length of all that follows
  out << "WAVEfmt ";
  write<endian::little>(out, std::uint32_t{16});
  write<endian::little>(out, std::uint16_t{1});  // plain samples
  write<endian::little>(out, std::uint16_t{1});  // one channel
  write<endian::little>(out, samples_per_second);
  write<endian::little>(out, samples_per_second * 2);  // bytes per second
  write<endian::little>(out, std::uint16_t{2});        // bytes per sample
  write<endian::little>(out, std::uint16_t{16});       // bits per sample
  out << "data";
  write<endian::little>(out, std::uint32_t{0});  // the length of the samples
  for (unsigned i = 0; i < samples_per_second; ++i)
    write<endian::little>(
        out, static_cast<std::int16_t>(8000 * std::sin(i * 440 * 2 * std::numbers::pi / samples_per_second)));
  patch_length(out, 4);
  patch_length(out, 40);
  out.close();  // reports errors, such as a full disk, at the latest here
  if (out) return 0;
  std::fprintf(stderr, "sound_file: %s\n", out.last_error()->what());
  return 1;
}

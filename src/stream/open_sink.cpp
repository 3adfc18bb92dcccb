#include "src/stream/open_sink.hpp"

#include <utility>

#include "src/filter/checksum_input.hpp"
#include "src/filter/checksum_output.hpp"
#include "src/filter/sealed.hpp"
#include "src/filter/zstd.hpp"
#include "src/sink/output.hpp"
#include "src/source/input.hpp"
#include "src/stream/option_checks.hpp"

namespace freshet::detail {
namespace {

// Opens the file by `open` once its key is known to work.
template <typename Open>
std::unique_ptr<sink> open_sealed(const native_string& path, writer_options options, Open open) {
  if (options.key == nullptr) return open(options);
  const auto content = compresses(options) ? sealed_content::zstd : sealed_content::bytes;
  auto how = prepare_sealing(path, *std::exchange(options.key, nullptr), default_segment, content);
  if (options.reserve != 0) options.reserve = sealed_size(options.reserve, how.segment);
  return seal_into(open(options), std::move(how));
}

// A checksum is that of the program's bytes, and these are compressed before they are encrypted: afterwards they cannot
// be. All options are known to be good before an existing file is touched.
template <typename Open>
std::unique_ptr<sink> open_chain(const native_string& path, const writer_options& options, opened_as how, Open open) {
  check_options(path, options, how);
  if (compresses(options)) check_compression(path, options.compression);
  auto result = open_sealed(path, options, open);
  if (compresses(options)) result = compress(std::move(result), options.compression);
  if (has_checksum(options)) result = std::make_unique<checksum_output>(std::move(result));
  if (options.flush_every != 0) result->flush_every(options.flush_every);
  return result;
}

template <typename Open>
std::unique_ptr<source> open_stored(const reader_options& options, Open open) {
  if (options.key == nullptr)
    return decompresses(options) ? decompress(open(options), options.decompression, options.accept_unclosed)
                                 : open(options);
  reader_options rest = options;
  rest.key = nullptr;
  auto content = sealed_content::bytes;
  auto plain = unseal_from(open(rest), *options.key, content, options.accept_unclosed);
  // What was compressed before it was encrypted is known: what else looks so was not compressed here.
  const bool is_wanted = options.decompression == decompression::zstd ||
                         (options.decompression == decompression::automatic && content == sealed_content::zstd);
  return is_wanted ? decompress(std::move(plain), decompression::zstd, options.accept_unclosed) : std::move(plain);
}

template <typename Open>
std::unique_ptr<source> open_reading_chain(const native_string& path, const reader_options& options, opened_as how,
                                           Open open) {
  check_options(path, options, how);
  if (decompresses(options)) check_decompression(path);
  auto result = open_stored(options, open);
  if (has_checksum(options)) result = std::make_unique<checksum_input>(std::move(result), options.expected_checksum);
  return result;
}

}  // namespace

std::unique_ptr<sink> open_sink(const native_string& path, const writer_options& options) {
  return open_chain(path, options, opened_as::file,
                    [&](const writer_options& rest) -> std::unique_ptr<sink> { return output::open(path, rest); });
}

std::unique_ptr<sink> adopt_sink(native_handle_type descriptor, bool owned, const writer_options& options) {
  return open_chain({}, options, opened_as::descriptor, [&](const writer_options& rest) -> std::unique_ptr<sink> {
    return output::adopt(descriptor, owned, rest);
  });
}

std::unique_ptr<source> open_for_reading(const native_string& path, const reader_options& options) {
  return open_reading_chain(path, options, opened_as::file, [&](const reader_options& rest) -> std::unique_ptr<source> {
    return input::open(path, rest);
  });
}

std::unique_ptr<source> adopt_for_reading(native_handle_type descriptor, bool owned, const reader_options& options) {
  return open_reading_chain(
      {}, options, opened_as::descriptor,
      [&](const reader_options& rest) -> std::unique_ptr<source> { return input::adopt(descriptor, owned, rest); });
}

}  // namespace freshet::detail

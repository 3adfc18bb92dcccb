#include "src/stream/option_checks.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <freshet/error.hpp>

#include "src/base/pool.hpp"
#include "src/filter/running_checksum.hpp"
#include "src/sink/publisher.hpp"

namespace freshet::detail {
namespace {

/// A combination that is refused, and why.
template <typename Options>
struct refusal {
  bool (*applies)(const Options& options, opened_as how);
  std::string_view reason;
};

bool is_block(std::size_t size) noexcept {
  return std::has_single_bit(size) && size >= smallest_block && size <= largest_block;
}

bool bounds_cache(caching kind) noexcept { return kind == caching::drop || kind == caching::bypass; }

// What writers and readers have in common.
template <typename Options>
constexpr std::array common_refusals{
    refusal<Options>{[](const Options& options, opened_as) { return options.block != 0 && !is_block(options.block); },
                     "block must be a power of two from 4 KiB to 64 MiB"},
    refusal<Options>{[](const Options& options, opened_as) { return options.depth > 64; }, "depth must be at most 64"},
    refusal<Options>{[](const Options& options, opened_as) {
                       return options.caching != caching::automatic && options.method != "auto";
                     },
                     "caching needs the method \"auto\": a named method uses the page cache in its own way"},
    refusal<Options>{
        [](const Options& options, opened_as how) { return how == opened_as::edited && bounds_cache(options.caching); },
        "caching::drop and caching::bypass need a file that is only written or only read"},
    refusal<Options>{[](const Options& options, opened_as how) {
                       return how == opened_as::descriptor && options.caching == caching::bypass;
                     },
                     "caching::bypass needs a path: its flag would also apply to other users of the descriptor"}};

using writing = refusal<writer_options>;

constexpr std::array writer_refusals{
    writing{[](const writer_options& options, opened_as) {
              return options.flush_every != 0 && options.flush_every < smallest_block;
            },
            "flush_every must be at least 4096"},
    writing{[](const writer_options& options, opened_as) { return options.size_ahead && options.ordered; },
            "size_ahead needs ordered = false"},
    writing{[](const writer_options& options, opened_as) {
              return is_to_be_hidden(options) && options.mode != open_mode::truncate &&
                     options.mode != open_mode::create_new;
            },
            "atomic and hidden_until_closed need open_mode::truncate or open_mode::create_new"},
    writing{[](const writer_options& options, opened_as) {
              return options.caching == caching::bypass && options.mode == open_mode::append;
            },
            "caching::bypass cannot append: direct I/O needs aligned offsets"},

    writing{[](const writer_options& options, opened_as) { return options.temporary && is_to_be_hidden(options); },
            "a temporary file has no name that atomic or hidden_until_closed could give it"},
    writing{[](const writer_options& options, opened_as) { return options.temporary && options.delete_on_close; },
            "a temporary file has no name that delete_on_close could delete"},
    writing{[](const writer_options& options, opened_as) {
              return (options.temporary || options.delete_on_close) && options.durability != durability::none;
            },
            "temporary and delete_on_close need durability::none: nothing of the file outlives close()"},
    writing{[](const writer_options& options, opened_as) {
              return options.temporary && options.mode != open_mode::truncate;
            },
            "a temporary file is always new: it needs open_mode::truncate"},
    writing{[](const writer_options& options, opened_as) { return options.temporary && options.method != "auto"; },
            "temporary needs the method \"auto\": the file begins in memory"},
    writing{[](const writer_options& options, opened_as) { return options.temporary && bounds_cache(options.caching); },
            "caching::drop and caching::bypass would write a temporary file to the disk"},
    writing{[](const writer_options& options, opened_as how) {
              return (options.temporary || options.delete_on_close) && how == opened_as::descriptor;
            },
            "temporary and delete_on_close need a path"},

    writing{
        [](const writer_options& options, opened_as) { return options.delete_on_close && is_to_be_hidden(options); },
        "delete_on_close contradicts atomic and hidden_until_closed, which keep the file from close() on"},
    writing{[](const writer_options& options, opened_as) {
              return options.delete_on_close && options.mode != open_mode::truncate &&
                     options.mode != open_mode::create_new;
            },
            "delete_on_close needs open_mode::truncate or open_mode::create_new: it deletes only a new file"},

    writing{[](const writer_options& options, opened_as) {
              return options.key != nullptr && options.mode != open_mode::truncate &&
                     options.mode != open_mode::create_new;
            },
            "an encrypted file needs open_mode::truncate or create_new: it is written once, from its front"},
    writing{
        [](const writer_options& options, opened_as how) { return options.key != nullptr && how == opened_as::edited; },
        "an encrypted file cannot be open for reading and writing at once"},
    // Behind new frames, the rest of an old file would look like more of them after a crash.
    writing{[](const writer_options& options, opened_as) {
              return compresses(options) && options.mode != open_mode::truncate &&
                     options.mode != open_mode::create_new;
            },
            "compression needs open_mode::truncate or create_new"},
    writing{
        [](const writer_options& options, opened_as how) { return compresses(options) && how == opened_as::edited; },
        "a compressed file cannot be open for reading and writing at once"},

    writing{[](const writer_options& options, opened_as) {
              return has_checksum(options) && options.mode == open_mode::append;
            },
            "a checksum needs all bytes of the file: it cannot be appended to"},
    writing{
        [](const writer_options& options, opened_as how) { return has_checksum(options) && how == opened_as::edited; },
        "a checksum needs a file that is only written or only read"},
};

using reading = refusal<reader_options>;

constexpr std::array reader_refusals{
    reading{
        [](const reader_options& options, opened_as how) { return options.key != nullptr && how == opened_as::edited; },
        "an encrypted file cannot be open for reading and writing at once"},
    reading{
        [](const reader_options& options, opened_as how) { return decompresses(options) && how == opened_as::edited; },
        "a compressed file cannot be open for reading and writing at once"},
    reading{
        [](const reader_options& options, opened_as how) { return has_checksum(options) && how == opened_as::edited; },
        "a checksum needs a file that is only written or only read"},
};

template <typename Options, std::size_t Count>
void check_all(const native_string& path, const Options& options, opened_as how,
               const std::array<refusal<Options>, Count>& refusals) {
  for (const refusal<Options>& each : refusals)
    if (each.applies(options, how))
      throw error{std::make_error_code(std::errc::invalid_argument), "open", path, error::no_offset, each.reason};
}

template <typename Options>
void check_library(const native_string& path, const Options& options) {
  if (has_checksum(options) && !running_checksum::is_available())
    throw error{std::make_error_code(std::errc::function_not_supported), "open", path, error::no_offset,
                "Freshet was built without libxxhash, which computes checksums"};
}

}  // namespace

void check_options(const native_string& path, const writer_options& options, opened_as how) {
  check_all(path, options, how, common_refusals<writer_options>);
  check_all(path, options, how, writer_refusals);
  check_library(path, options);
}

void check_options(const native_string& path, const reader_options& options, opened_as how) {
  check_all(path, options, how, common_refusals<reader_options>);
  check_all(path, options, how, reader_refusals);
  check_library(path, options);
}

}  // namespace freshet::detail

#include "src/each_line/file_options.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <system_error>

#include "src/method/registry.hpp"
#include "src/os/file.hpp"
#include "src/profile_lookup.hpp"

namespace freshet::detail {
namespace {

struct found_file {
  os::file file;
  std::uint64_t device = 0;
};

// Empty where it cannot be looked at: whoever reads or writes it will say so.
std::optional<found_file> look_at(const std::filesystem::path& path) {
  std::error_code error;
  found_file found;
  found.file =
      os::file::open(path, {.what = os::open_request::disposition::existing, .read = true, .write = false}, error);
  if (!error) found.device = found.file.status(error).device;
  if (error) return std::nullopt;
  return found;
}

// The block that fits into `memory`, or 0 where the profile's own does.
template <typename Settings>
std::size_t fitting_block(const std::optional<Settings>& profiled, unsigned most_depth, std::size_t memory) {
  const auto* const method = profiled ? find_method(profiled->method) : nullptr;
  if (method == nullptr) return 0;
  const std::size_t block = profiled->block != 0 ? profiled->block : method->good_block;
  const unsigned depth = profiled->depth != 0 ? profiled->depth : method->good_depth;
  const std::size_t blocks = method->asynchronous ? std::clamp(depth, 1U, most_depth) : 1;
  return block * blocks > memory ? std::bit_floor(memory / blocks) : 0;
}

writer_options hidden(const each_line_options& options) noexcept {
  writer_options asked = options.output;
  asked.hidden_until_closed |= asked.mode == open_mode::truncate || asked.mode == open_mode::create_new;
  return asked;
}

}  // namespace

reader_options large_input(const std::filesystem::path& path, const each_line_options& options,
                           const each_line_sizes& sizes) {
  auto asked = options.input;
  if (asked.method != "auto" || asked.block != 0 || asked.depth != 0 || !is_regular_file(path)) return asked;
  if (const auto found = look_at(path)) {
    constexpr unsigned most_depth = 64;
    const auto profiled = profiled_reading(found->file, found->device);
    asked.block = std::max(fitting_block(profiled.cold, most_depth, sizes.file_memory),
                           fitting_block(profiled.warm, most_depth, sizes.file_memory));
  }
  return asked;
}

writer_options large_output(const std::filesystem::path& path, const each_line_options& options,
                            const each_line_sizes& sizes) {
  auto asked = hidden(options);
  if (asked.method != "auto" || asked.block != 0 || asked.depth != 0) return asked;
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  if (const auto found = look_at(directory)) {
    const unsigned most_depth = asked.ordered ? 2 : 64;
    asked.block =
        fitting_block(profiled_settings(found->file, found->device, asked.durability), most_depth, sizes.file_memory);
  }
  return asked;
}

reader_options small_input(const each_line_options& options, const each_line_sizes& sizes) noexcept {
  auto asked = options.input;
  if (asked.block == 0) asked.block = sizes.small_block;
  return asked;
}

writer_options small_output(const each_line_options& options, const each_line_sizes& sizes) noexcept {
  auto asked = hidden(options);
  if (asked.block == 0) asked.block = sizes.small_block;
  return asked;
}

}  // namespace freshet::detail

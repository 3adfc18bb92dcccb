#include "src/each_line/transform_stage.hpp"

#include <tbb/task_arena.h>

#include <string>

#include "src/each_line/read_stage.hpp"

namespace freshet::detail {

void transform_stage::transform(line_block& block) {
  if (block.failure || block.number > job_.first_failed) return;
  job_.throw_if_stopped(block.file);
  try {
    // Without isolation, a function that waits for tasks of its own could be called for another block meanwhile.
    tbb::this_task_arena::isolate([&] {
      if (block.whole_file)
        transform_file(block);
      else
        transform_text(block, block.in.text());
    });
  } catch (...) {
    block.failure = std::current_exception();
    job_.note_failure(block.number);
  }
}

void transform_stage::transform_file(line_block& block) {
  const file_pair& file = job_.files[block.file];
  reader in{file.in, small_input_options(job_.options, job_.sizes)};
  writer out{file.out, small_output_options(job_.options, job_.sizes)};
  block_source source{in, job_.sizes.block, job_.options.longest};
  do {
    source.read(block.in);
    transform_text(block, block.in.text());
    block.offset += block.in.text().size();
    out.write(block.out.text());
    block.out.clear();
  } while (!source.ended());
  in.close();
  job_.accept(block.file);
  out.close();
}

void transform_stage::transform_text(line_block& block, std::string_view text) {
  line_transform& own = own_transform();
  const line_rules rules{.longest = job_.options.longest, .keep_ends = job_.options.keep_ends};
  // Reserve room at once: growing step by step leaves unused memory in the allocator, and untouched room costs nothing.
  static_cast<void>(block.out.room(text.size() + text.size() / 2));
  std::size_t transformed = 0;
  try {
    transformed = own.transform(text, rules, block.out, block.lines);
  } catch (...) {
    block.function_failed = true;
    throw;
  }
  block.bytes_read += transformed;
  block.bytes_written += block.out.text().size();
  if (transformed == text.size()) return;
  throw error{std::make_error_code(std::errc::message_size), "read", job_.input_path(block.file),
              block.offset + transformed, "a line is longer than " + std::to_string(rules.longest) + " bytes"};
}

line_transform& transform_stage::own_transform() {
  auto& own = own_.local();
  if (!own) {
    const std::lock_guard lock{make_mutex_};
    own = make_();
  }
  return *own;
}

}  // namespace freshet::detail

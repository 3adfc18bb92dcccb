#include "src/each_line/treating.hpp"

#include <tbb/task_arena.h>

#include <string>

#include "src/each_line/block_source.hpp"
#include "src/each_line/file_options.hpp"

namespace freshet::detail {

void treating::treat(line_block& block) {
  if (block.failure || block.number > job_.first_failed) return;
  job_.throw_if_stopped(block.file);
  try {
    // A function that waits for tasks of its own must not be given another block meanwhile.
    tbb::this_task_arena::isolate([&] {
      if (block.whole_file)
        treat_file(block);
      else
        treat_text(block, block.in.text());
    });
  } catch (...) {
    block.failure = std::current_exception();
    job_.note_failure(block.number);
  }
}

void treating::treat_file(line_block& block) {
  const file_pair& file = job_.files[block.file];
  reader in{file.in, small_input(job_.options, job_.sizes)};
  writer out{file.out, small_output(job_.options, job_.sizes)};
  block_source source{in, job_.sizes.block, job_.options.longest};
  do {
    source.take(block.in);
    treat_text(block, block.in.text());
    block.offset += block.in.text().size();
    out.write(block.out.text());
    block.out.clear();
  } while (!source.ended());
  in.close();
  job_.accept(block.file);
  out.close();
}

void treating::treat_text(line_block& block, std::string_view text) {
  line_treatment& own = own_treatment();
  const line_rules rules{.longest = job_.options.longest, .keep_ends = job_.options.keep_ends};
  // Growing step by step would leave as much unused behind in the allocator. What is not written to costs nothing.
  static_cast<void>(block.out.room(text.size() + text.size() / 2));
  std::size_t treated = 0;
  try {
    treated = own.treat(text, rules, block.out, block.lines);
  } catch (...) {
    block.function_failed = true;
    throw;
  }
  block.bytes_read += treated;
  block.bytes_written += block.out.text().size();
  if (treated == text.size()) return;
  throw error{std::make_error_code(std::errc::message_size), "read", job_.path_of(block.file), block.offset + treated,
              "a line is longer than " + std::to_string(rules.longest) + " bytes"};
}

line_treatment& treating::own_treatment() {
  auto& own = own_.local();
  if (!own) {
    const std::lock_guard lock{make_mutex_};
    own = make_();
  }
  return *own;
}

}  // namespace freshet::detail

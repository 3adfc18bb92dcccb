// Runs freshet::each_line over all files.
#include <freshet/each_line.hpp>

#include <string_view>
#include <vector>

#include "lab/encrypt/encryption.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

// Encrypts or decrypts the lines of one thread with a cipher of its own.
class line_transform {
 public:
  explicit line_transform(const cipher_plan& plan) : cipher_{plan} {}

  void operator()(std::string_view line, line_sink& out) {
    throw_if_interrupted();
    const bool has_end = line.ends_with('\n');
    if (has_end) line.remove_suffix(1);
    const auto room = out.room(cipher_.room_for(line.size()) + 1);
    std::size_t length = cipher_.transform(line, room);
    if (has_end) room[length++] = '\n';
    out.advance(length);
  }

 private:
  line_cipher cipher_;
};

std::vector<file_pair> make_pairs(const encryption_job& job) {
  std::vector<file_pair> pairs;
  pairs.reserve(job.files.size());
  for (const input_file& file : job.files) pairs.push_back({job.in / file.name, job.out / file.name});
  return pairs;
}

}  // namespace

void encrypt_by_pipeline(const encryption_job& job, encryption_progress& done, const reader_options& input,
                         const writer_options& output) {
  const std::vector<file_pair> pairs = make_pairs(job);
  each_line_options options;
  options.threads = job.plan.threads;
  options.longest = max_line_length(job.plan.cipher);
  options.keep_ends = true;
  options.input = input;
  options.output = output;
  options.accept = [&](const file_pair& file) {
    require_unchanged(job.in, job.files[static_cast<std::size_t>(&file - pairs.data())]);
  };
  options.progress = [&done, before = each_line_progress{done.files, 0, done.bytes_read, done.bytes_written}](
                         const each_line_progress& so_far) {
    throw_if_interrupted();
    done.files = before.files + so_far.files;
    done.bytes_read = before.bytes_read + so_far.bytes_read;
    done.bytes_written = before.bytes_written + so_far.bytes_written;
  };
  each_line_with(
      pairs, [&job] { return line_transform{job.plan.cipher}; }, options);
}

void encrypt_pipelined(const encryption_job& job, encryption_progress& done) {
  encrypt_by_pipeline(job, done, job.plan.files.reading(), job.plan.files.writing());
}

}  // namespace freshet::tool

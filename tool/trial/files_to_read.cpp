#include "tool/trial/files_to_read.hpp"

#include <algorithm>

#include "tool/trial/write_file.hpp"

namespace freshet::tool {

equal_files& files_to_read::find(const trial_plan& plan, const block_data* data) {
  const trial_plan writing{.method = "buffered",
                           .measured_class = io_class::at_close,
                           .workload = plan.workload,
                           .size = plan.size,
                           .seed = plan.seed};
  const auto known = std::ranges::find(kept_, writing, &equal_files::written_by);
  if (known != kept_.end()) return *known;
  const file_content content = compute_content(writing, data);
  return kept_.emplace_back(equal_files{writing, {}, content.bytes, content.checksum});
}

const equal_files& files_to_read::provide(const trial_plan& plan, const block_data* data) {
  equal_files& files = find(plan, data);
  while (files.paths.size() < plan.jobs) {
    const std::filesystem::path path = place_.kept_file(count_++);
    bytes_written_ += files.bytes;
    static_cast<void>(write_file(files.written_by, path, data));
    files.paths.push_back(path);
  }
  return files;
}

}  // namespace freshet::tool

// Programs that write with the C library, by a function such as fwrite().
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

#include "tool/baseline/baseline.hpp"
#include "tool/workload/stdio_file.hpp"

namespace freshet::tool {

/// The type of fwrite() and fwrite_unlocked().
using stdio_write_function = std::size_t (*)(const void*, std::size_t, std::size_t, std::FILE*);

template <stdio_write_function Write>
struct stdio_out {
  stdio_file& file;

  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void write(std::span<const std::byte> bytes) {
    if (Write(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) file.fail("write");
  }
};

/// @param buffer  bytes; 0: the C library's own. @throws freshet::error; interrupted
template <stdio_write_function Write>
amount write_into_stdio(const baseline_job& job, std::size_t buffer) {
  stdio_file file{job.path, buffer, job.keep_content ? "r+b" : "wb"};
  stdio_out<Write> out{file};
  const amount written = write_workload(out, job.content);
  file.close();
  return written;
}

}  // namespace freshet::tool

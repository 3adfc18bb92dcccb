// The program as first written.
#include <fstream>

#include "naive.hpp"
#include "peer.hpp"

namespace {

template <auto Write>
void write_file(const peer::job& job) {
  std::ofstream out{job.file, peer::prepare(job)};
  if (!out) peer::fail("open", job.file);
  Write(out, job.size);
  if (!out) peer::fail("write", job.file);
  const auto written = static_cast<std::uint64_t>(out.tellp());
  out.close();
  if (!out) peer::fail("close", job.file);
  peer::cut(job, written);
}

}  // namespace

int main(int count, char** words) {
  return peer::run(count, words,
                   {.reserve = true,
                    .overwrite = true,
                    .write_text = write_file<peer::write_text_naively<std::ofstream>>,
                    .write_bytes = write_file<peer::write_bytes_naively<std::ofstream>>});
}

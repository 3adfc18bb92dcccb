// freshet::ofstream, used as a tuned std::ofstream would be.
#include <freshet/stream.hpp>

#include "content.hpp"
#include "freshet_options.hpp"
#include "peer.hpp"

namespace {

void write_text(const peer::job& job) {
  freshet::ofstream out{job.file, peer::options_for(job)};
  std::uint64_t written = 0;
  for (std::uint64_t line = 1; out && written + peer::length_of(line) <= job.size; ++line) {
    out << peer::tabs_of(line) << peer::before_name << peer::name_of(line) << peer::after_name;
    written += peer::length_of(line);
  }
  peer::report_method(out.method());
  out.close();
  peer::check(out);
}

void write_bytes(const peer::job& job) {
  const auto table = peer::byte_table();
  freshet::ofstream out{job.file, peer::options_for(job)};
  for (std::uint64_t i = 0; i < job.size && out; ++i) out.put(table[i % table.size()]);
  peer::report_method(out.method());
  out.close();
  peer::check(out);
}

}  // namespace

int main(int count, char** words) {
  return peer::run(count, words,
                   {.buffer = 0,
                    .reserve = true,
                    .write_through = true,
                    .no_cache = true,
                    .overwrite = true,
                    .write_text = write_text,
                    .write_bytes = write_bytes});
}

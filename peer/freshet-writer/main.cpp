// freshet::writer, the leanest of the library's ways to write.
#include <freshet/writer.hpp>

#include "content.hpp"
#include "freshet_options.hpp"
#include "peer.hpp"

namespace {

void write_text(const peer::job& job) {
  freshet::writer out{job.file, peer::options_for(job)};
  for (std::uint64_t line = 1; out.tell() + peer::length_of(line) <= job.size; ++line) {
    out.write(peer::tabs_of(line));
    out.write(peer::before_name);
    out.write(peer::name_of(line));
    out.write(peer::after_name);
  }
  peer::report_method(out.method());
  out.close();
}

void write_bytes(const peer::job& job) {
  const auto table = peer::byte_table();
  freshet::writer out{job.file, peer::options_for(job)};
  for (std::uint64_t i = 0; i < job.size; ++i) out.put(table[i % table.size()]);
  peer::report_method(out.method());
  out.close();
}

}  // namespace

int main(int count, char** words) {
  return peer::run(count, words,
                   {.buffer = 0,
                    .reserve = true,
                    .write_through = true,
                    .no_cache = true,
                    .overwrite = true,
                    .choice = "--method",
                    .write_text = write_text,
                    .write_bytes = write_bytes});
}

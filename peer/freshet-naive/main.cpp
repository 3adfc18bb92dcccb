// cpp-ofstream-naive, ported by changing the name of a type.
#include <freshet/stream.hpp>

#include "freshet_options.hpp"
#include "naive.hpp"
#include "peer.hpp"

namespace {

template <auto Write>
void write_file(const peer::job& job) {
  freshet::ofstream out{job.file, peer::options_for(job)};
  if (out) Write(out, job.size);
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
                    .write_text = write_file<peer::write_text_naively<freshet::ofstream>>,
                    .write_bytes = write_file<peer::write_bytes_naively<freshet::ofstream>>});
}

// Boost.Iostreams: a stream over a file_descriptor_sink.
#include <boost/iostreams/device/file_descriptor.hpp>
#include <boost/iostreams/stream.hpp>

#include "by_pieces.hpp"
#include "descriptor.hpp"
#include "peer.hpp"

namespace {

namespace io = boost::iostreams;

class file {
 public:
  explicit file(const peer::job& job) : name_{job.file}, file_{job} {
    if (job.reserve) file_.reserve(job.size);
    out_.open(io::file_descriptor_sink{file_.number(), io::never_close_handle},
              static_cast<std::streamsize>(job.buffer));
    errno = 0;
  }

  void write(std::string_view text) { out_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  void put(char byte) { out_.put(byte); }
  explicit operator bool() const { return bool{out_}; }
  void close(std::uint64_t written) {
    // close() also writes the rest, but does not report a failure.
    if (!out_.flush()) peer::fail("write", name_);
    out_.close();
    file_.close(written);
  }

 private:
  std::string name_;
  peer::descriptor file_;
  io::stream<io::file_descriptor_sink> out_;
};

}  // namespace

int main(int count, char** words) {
  return peer::run(count, words,
                   {.buffer = 64 << 10,
                    .reserve = true,
                    .write_through = true,
                    .sequential = true,
                    .overwrite = true,
                    .write_text = peer::write_text_by_pieces<file>,
                    .write_bytes = peer::write_bytes_by_put<file>});
}

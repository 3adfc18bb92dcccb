// std::ofstream used for speed: a large buffer, write() with known lengths, no tellp().
#include <fstream>
#include <vector>

#include "by_pieces.hpp"
#include "peer.hpp"

namespace {

class file {
 public:
  explicit file(const peer::job& job) : job_{job}, buffer_(job.buffer) {
    const auto mode = peer::prepare(job) | std::ios::binary;
    // libstdc++ takes a buffer only before open().
    out_.rdbuf()->pubsetbuf(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.open(job.file, mode);
    check("open");
  }

  void write(std::string_view text) { out_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  void put(char byte) { out_.put(byte); }
  explicit operator bool() const { return bool{out_}; }

  void close(std::uint64_t written) {
    check("write");
    out_.close();
    check("close");
    peer::cut(job_, written);
  }

 private:
  void check(std::string_view operation) const {
    if (!out_) peer::fail(operation, job_.file);
  }

  const peer::job& job_;
  std::vector<char> buffer_;  // must outlive the stream that uses it
  std::ofstream out_;
};

}  // namespace

int main(int count, char** words) {
  return peer::run(count, words,
                   {.buffer = 64 << 10,
                    .reserve = true,
                    .overwrite = true,
                    .write_text = peer::write_text_by_pieces<file>,
                    .write_bytes = peer::write_bytes_by_put<file>});
}

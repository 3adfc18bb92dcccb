#include "tool/encrypt/encryption.hpp"

#include <fmt/format.h>

namespace freshet::tool {

std::string_view name_of(stream_kind streams) noexcept { return streams == stream_kind::std ? "std" : "freshet"; }

std::string_view name_of(strategy how) noexcept {
  switch (how) {
    case strategy::streaming:
      return "streaming";
    case strategy::buffering:
      return "buffering";
    case strategy::pipelined:
      return "pipelined";
    case strategy::async:
      return "async";
  }
  return {};
}

std::string format_threads(unsigned threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

void encrypt(const encryption_job& job, encryption_progress& done) {
  switch (job.plan.how) {
    case strategy::streaming:
      return encrypt_streaming(job, done);
    case strategy::buffering:
      return encrypt_buffering(job, done);
    case strategy::pipelined:
      return encrypt_pipelined(job, done);
    case strategy::async:
      return encrypt_async(job, done);
  }
}

}  // namespace freshet::tool

#include "lab/encrypt/encryption.hpp"

namespace freshet::tool {

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

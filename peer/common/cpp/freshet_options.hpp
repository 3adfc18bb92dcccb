// A peer's options as freshet's.
#pragma once

#include <freshet/stream.hpp>

#include "peer.hpp"

namespace peer {

inline freshet::writer_options options_for(const job& job) {
  freshet::writer_options options;  // all that is not set here comes from the profile
  if (!job.choice.empty())
    options.method = job.choice;
  else if (job.no_cache)
    options.method = "uring";
  options.block = job.buffer;
  if (job.reserve) options.reserve = job.size;
  if (job.write_through) options.durability = freshet::durability::each_write;
  if (job.overwrite) options.mode = freshet::open_mode::overwrite;
  return options;
}

// freshet's streams, unlike the standard's, say what went wrong.
inline void check(const freshet::ofstream& out) {
  if (!out) throw freshet::error{*out.last_error()};
}

}  // namespace peer

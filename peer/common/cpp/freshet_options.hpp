// Converts a peer's options to freshet's.
#pragma once

#include <freshet/stream.hpp>

#include "peer.hpp"

namespace peer {

inline freshet::writer_options options_for(const job& job) {
  freshet::writer_options options;  // the profile provides what is not set here
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

// Unlike the standard's streams, freshet's report the error.
inline void check(const freshet::ofstream& out) {
  if (!out) throw freshet::error{*out.last_error()};
}

}  // namespace peer

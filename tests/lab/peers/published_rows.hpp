// Rows of published tables for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/peers/peer.hpp"

namespace freshet::test {

/// A row of figures for files of 100 MiB.
[[nodiscard]] inline tool::published_row published(std::string peer, std::string table, std::uint64_t row,
                                                   std::string name, std::vector<std::string> then) {
  return {.peer = std::move(peer),
          .table = std::move(table),
          .row = row,
          .name = std::move(name),
          .then = std::move(then),
          .size = std::uint64_t{100} << 20};
}

}  // namespace freshet::test

// Stands for the file system of the tests' own where there is no libfuse.
#include "tests/surroundings/fuse_directory.hpp"

namespace freshet::test {

fuse_directory::fuse_directory(const std::filesystem::path&, const std::filesystem::path&, const fuse_setup&)
    : why_not_{"there was no libfuse3 (libfuse3-dev) when the tests were built"} {}

fuse_directory::~fuse_directory() = default;

}  // namespace freshet::test

// Stands in where libzstd is missing.
#include "src/filter/zstd.hpp"

namespace freshet::detail {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw error{std::make_error_code(std::errc::operation_not_supported), "open", path, error::no_offset,
              "this freshet was built without libzstd"};
}

}  // namespace

void check_compression(const std::string& path, const compression& /*options*/) { refuse(path); }

std::unique_ptr<sink> compress(std::unique_ptr<sink> inner, const compression& /*options*/) { return inner; }

void check_decompression(const std::string& path) { refuse(path); }

std::unique_ptr<source> decompress(std::unique_ptr<source> inner, decompression /*how*/, bool /*accepts_unclosed*/) {
  return inner;
}

}  // namespace freshet::detail

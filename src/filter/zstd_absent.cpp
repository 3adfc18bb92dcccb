// Stands in where libzstd is missing.
#include "src/filter/zstd.hpp"

namespace freshet::detail {
namespace {

[[noreturn]] void refuse(const native_string& path) {
  throw error{std::make_error_code(std::errc::operation_not_supported), "open", path, error::no_offset,
              "this freshet was built without libzstd"};
}

}  // namespace

void check_compression(const native_string& path, const compression& /*options*/) { refuse(path); }

std::unique_ptr<sink> compress(std::unique_ptr<sink> inner, const compression& /*options*/) { return inner; }

void check_decompression(const native_string& path) { refuse(path); }

std::unique_ptr<source> decompress(std::unique_ptr<source> inner, decompression /*how*/, bool /*accepts_unclosed*/) {
  return inner;
}

}  // namespace freshet::detail

// Reads arbitrary bytes from a text column of a store. Accepted values must be usable; all others must be rejected with
// an exception.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "tool/store/columns.hpp"

namespace {

using namespace freshet::tool;

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Value>
Value read_as(SQLite::Statement& row) {
  Value value{};
  row_reader{row}("text", value);
  return value;
}

void use(const latency_histogram& calls) {
  for (const auto& [bucket, count] : calls.buckets()) require(bucket < latency_histogram::bucket_count);
  if (calls.calls() > 0) require(calls.quantile(0.5) <= calls.quantile(1));
}

void use(const rate_curve& curve) {
  rate_curve sum;
  sum.add(curve);
  require(std::isfinite(sum.step()) && sum.bytes().size() <= rate_curve::most);
}

void read(SQLite::Statement& row, std::uint8_t kind) {
  switch (kind % 6) {
    case 0:
      return use(read_as<latency_histogram>(row));
    case 1:
      return use(read_as<rate_curve>(row));
    case 2:
      return require(!to_string(read_as<io_class>(row)).empty());
    case 3:
      return require(!to_string(read_as<trial_validity>(row)).empty());
    case 4:
      return static_cast<void>(read_as<std::vector<std::string>>(row));
    default:
      return static_cast<void>(read_as<std::map<std::string, std::uint64_t>>(row));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static SQLite::Database database{":memory:"};
  SQLite::Statement row{database, "SELECT ?"};
  row.bind(1, std::string{reinterpret_cast<const char*>(data) + 1, size - 1});
  row.executeStep();
  try {
    read(row, data[0]);
  } catch (const std::exception&) {
    // Rejected, as documented.
  }
  return 0;
}

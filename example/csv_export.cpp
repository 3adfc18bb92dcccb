// csv_export FILE: writes orders to FILE as comma-separated values. The file appears complete or not at all.
#include <freshet/stream.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

struct order {
  int number;
  std::string customer;
  double amount;
};

// Quotes text that would otherwise be read as more than one field (RFC 4180).
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string{text};
  std::string quoted = "\"";
  for (const char each : text) quoted.append(each == '"' ? 2 : 1, each);
  return quoted + '"';
}

int main(int count, char** words) {
  const std::vector<order> orders = {{1, "Jack", 12.5}, {2, "Rubble, Barney", 1999.99}, {3, "Fred \"Fred\" Flint", 0}};
  freshet::ofstream out{count > 1 ? words[1] : "orders.csv", {.atomic = true}};
  out.setf(std::ios::fixed);
  out.precision(2);
  out << "number,customer,amount\r\n";
  for (const auto& each : orders) out << each.number << ',' << field(each.customer) << ',' << each.amount << "\r\n";
  out.close();  // reports errors, such as a full disk, at the latest here
  if (out) return 0;
  std::fprintf(stderr, "csv_export: %s\n", out.last_error()->what());
  return 1;
}

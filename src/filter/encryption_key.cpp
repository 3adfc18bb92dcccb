#include <freshet/encryption.hpp>

#include <array>
#include <string>
#include <system_error>

#include <freshet/error.hpp>

#include "src/base/native_path.hpp"
#include "src/base/secret_file.hpp"
#include "src/filter/key_contents.hpp"
#include "src/method/transfer.hpp"
#include "src/os/file.hpp"

namespace freshet {
namespace {

constexpr unsigned smallest_cost = 10;

}  // namespace

// Does not use an input, whose blocks are not wiped.
std::size_t detail::read_secret_file(const native_string& path, std::span<std::byte> into) {
  std::error_code error;
  auto file = detail::os::file::open_existing(path, error);
  if (error) throw freshet::error{error, "open", path};
  std::size_t length = 0;
  while (length < into.size()) {
    const std::size_t more = detail::read_some(file, into.subspan(length), 0, detail::read_once, error);
    if (error) throw freshet::error{error, "read", path, length};
    if (more == 0) break;
    length += more;
  }
  return length;
}

encryption_key::encryption_key(std::span<const std::byte, size> bytes)
    : contents_{new detail::key_contents{detail::key_kind::key, bytes, 0}} {}

encryption_key encryption_key::from_file(const path_argument& path) {
  struct wiped {
    std::array<std::byte, size + 1> bytes{};
    ~wiped() { detail::wipe(bytes); }
  } read;
  const std::size_t length = detail::read_secret_file(detail::native_path{path}.get(), read.bytes);
  if (length == size) return encryption_key{std::span{read.bytes}.first<size>()};
  throw error{std::make_error_code(std::errc::invalid_argument), "read the key", path, error::no_offset,
              "a key file holds exactly 32 bytes; this one has " +
                  (length < size ? std::to_string(length) : std::string{"more"})};
}

encryption_key encryption_key::from_passphrase(std::string_view passphrase, unsigned cost) {
  const auto refuse = [](const char* why) {
    throw error{std::make_error_code(std::errc::invalid_argument), "use a passphrase", {}, error::no_offset, why};
  };
  if (passphrase.empty()) refuse("it is empty");
  if (cost < smallest_cost || cost > largest_cost) refuse("its cost must be from 10 to 18");
  return encryption_key{
      new detail::key_contents{detail::key_kind::passphrase, std::as_bytes(std::span{passphrase}), cost}};
}

encryption_key& encryption_key::operator=(encryption_key&& other) noexcept {
  if (this != &other) delete std::exchange(contents_, std::exchange(other.contents_, nullptr));
  return *this;
}

encryption_key::~encryption_key() { delete contents_; }

}  // namespace freshet

// Stands in where libxxhash is missing.
#include "src/filter/running_checksum.hpp"

namespace freshet::detail {

bool running_checksum::is_available() noexcept { return false; }
running_checksum::running_checksum() = default;
void running_checksum::free_state::operator()(state* /*unused*/) const noexcept {}
void running_checksum::add(std::span<const std::byte> /*bytes*/) noexcept {}
checksum running_checksum::result() const noexcept { return {}; }

}  // namespace freshet::detail

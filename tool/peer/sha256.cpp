#include "tool/peer/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <freshet/error.hpp>

#include "src/method/transfer.hpp"
#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

EVP_MD_CTX* engine(void* context) { return static_cast<EVP_MD_CTX*>(context); }

void require(bool done) {
  if (!done) throw std::runtime_error{"OpenSSL cannot compute SHA-256"};
}

}  // namespace

void sha256::release::operator()(void* context) const noexcept { EVP_MD_CTX_free(engine(context)); }

sha256::sha256() : context_{EVP_MD_CTX_new()} {
  require(context_ != nullptr && EVP_DigestInit_ex(engine(context_.get()), EVP_sha256(), nullptr) == 1);
}

void sha256::write(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(engine(context_.get()), bytes.data(), bytes.size()) == 1);
}

void sha256::write_file(const std::filesystem::path& path) {
  std::error_code failure;
  detail::os::file file = detail::os::file::open_existing(path, failure);
  if (failure) throw error{failure, "open", path};
  std::vector<std::byte> piece(std::size_t{1} << 20);
  while (true) {
    throw_if_interrupted();
    std::size_t got = 0;
    detail::uninterrupted(failure, [&] { got = file.read(piece, failure); });
    if (failure) throw error{failure, "read", path};
    if (got == 0) return;
    write(std::span{piece}.first(got));
  }
}

void sha256::write_folder(const std::filesystem::path& folder, std::string_view left_out) {
  std::set<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return;
  for (std::filesystem::recursive_directory_iterator each{folder}, end; each != end; ++each) {
    if (each->path().filename() == "__pycache__") each.disable_recursion_pending();
    if (each->is_regular_file() && each->path().filename() != left_out) files.insert(each->path());
  }
  for (const std::filesystem::path& file : files) {
    write(fmt::format("{}\n{}\n", file.lexically_relative(folder).string(), std::filesystem::file_size(file)));
    write_file(file);
  }
}

std::string sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(engine(context_.get()), sum.data(), &length) == 1);
  std::string text;
  for (unsigned at = 0; at < length; ++at) text += fmt::format("{:02x}", sum[at]);
  return text;
}

}  // namespace freshet::tool

#include <freshet/error.hpp>

#include <atomic>
#include <filesystem>
#include <string>

#include "src/base/native_path.hpp"
#include "src/os/message.hpp"
#include "src/os/native_string.hpp"

namespace freshet {
namespace {

using detail::native_string;
using detail::to_utf8;
using detail::os::message_of;

std::string explain(const std::error_code& code, std::string_view operation, const native_string& path,
                    std::uint64_t offset, std::string_view detail) {
  std::string text{operation};
  if (!path.empty()) text += " '" + to_utf8(path) + "'";
  if (offset != error::no_offset) text += " at offset " + std::to_string(offset);
  text += ": " + message_of(code);
  if (!detail.empty()) text.append(" (").append(detail).append(")");
  return text;
}

}  // namespace

struct error::contents {
  std::string operation;
  std::filesystem::path path;
  std::uint64_t offset;
  std::string what;
  std::atomic<unsigned> owners = 1;

  void release() noexcept {
    if (owners.fetch_sub(1) == 1) delete this;
  }
};

error::error(std::error_code code, std::string_view operation, const path_argument& path, std::uint64_t offset,
             std::string_view detail)
    : std::system_error{code} {
  const detail::native_path full{path};
  contents_ =
      new contents{std::string{operation}, full.get(), offset, explain(code, operation, full.get(), offset, detail)};
}

error::error(const error& other) noexcept : std::system_error{other}, contents_{other.contents_} {
  contents_->owners.fetch_add(1);
}

error& error::operator=(const error& other) noexcept {
  if (this == &other) return *this;
  other.contents_->owners.fetch_add(1);
  contents_->release();
  contents_ = other.contents_;
  std::system_error::operator=(other);
  return *this;
}

error::~error() { contents_->release(); }

const char* error::what() const noexcept { return contents_->what.c_str(); }
const std::string& error::operation() const noexcept { return contents_->operation; }
const std::filesystem::path& error::path() const noexcept { return contents_->path; }
std::uint64_t error::offset() const noexcept { return contents_->offset; }

}  // namespace freshet

#include "src/each_line/block_source.hpp"

#include <string.h>

#include <cstring>
#include <span>
#include <string_view>

namespace freshet::detail {
namespace {

void append(text_memory& into, std::string_view text) {
  if (text.empty()) return;
  if (into.left() < text.size()) into.grow(text.size());
  std::memcpy(into.cursor(), text.data(), text.size());
  into.advance(text.size());
}

}  // namespace

void block_source::take(text_memory& into) {
  into.clear();
  append(into, rest_.text());
  rest_.clear(block_);
  while (!ended_ && !take_more(into)) {
  }
}

// True when `into` ends with a line.
bool block_source::take_more(text_memory& into) {
  const std::size_t before = into.text().size();
  if (into.left() < block_) into.grow(block_);
  const std::size_t length = in_->read(std::span{into.cursor(), block_});
  into.advance(length);
  ended_ = length < block_;
  if (ended_) return true;
  const auto text = into.text();
  const auto* const end = static_cast<const char*>(::memrchr(text.data() + before, '\n', length));
  if (end == nullptr) {
    ended_ = text.size() > longest_;
    return ended_;
  }
  const auto whole = static_cast<std::size_t>(end + 1 - text.data());
  append(rest_, text.substr(whole));
  into.cut(whole);
  return true;
}

}  // namespace freshet::detail

// Writes nowhere: shows how fast the program fills blocks when writing costs nothing.
#include <vector>

#include "src/method/methods.hpp"

namespace freshet::detail {
namespace {

class null final : public method {
 public:
  explicit null(const method_setup& setup) : idle_(setup.depth - 1), completed_{setup.start} {}

  // Rotates its blocks as an asynchronous method would, so that the program meets the same processor caches.
  block exchange(full_block full, std::error_code& error) noexcept override {
    error.clear();
    completed_ += full.end - full.begin;
    if (idle_.empty()) return std::move(full.memory);
    auto& next = idle_[turn_++ % idle_.size()];
    if (!next) next = pool::try_take(full.memory.size());
    if (!next) return std::move(full.memory);
    std::swap(next, full.memory);
    return std::move(full.memory);
  }

  std::uint64_t completed() const noexcept override { return completed_; }

 private:
  std::vector<block> idle_;
  std::size_t turn_ = 0;
  std::uint64_t completed_;
};

}  // namespace

std::unique_ptr<method> make_null(os::file&, const method_setup& setup) { return std::make_unique<null>(setup); }

}  // namespace freshet::detail

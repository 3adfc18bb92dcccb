// Reads through the page cache and drops behind the cursor what reading brought in.
#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "src/method/read_method.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

class dropping_reading final : public read_method {
 public:
  dropping_reading(os::file& source, const read_setup& setup)
      : file_{source}, inner_{make_buffered_reading(source, limited(setup))} {}
  dropping_reading(const dropping_reading&) = delete;
  dropping_reading& operator=(const dropping_reading&) = delete;
  ~dropping_reading() override { leave(); }

  std::span<const std::byte> read(std::uint64_t offset, std::error_code& error) noexcept override {
    enter(offset / piece_size);
    return inner_->read(offset, error);
  }

  std::optional<std::size_t> read_unbuffered(std::span<std::byte> into, std::uint64_t offset,
                                             std::error_code& error) noexcept override {
    enter(offset / piece_size);
    const std::uint64_t left = piece_size - offset % piece_size;
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left)));
    return inner_->read_unbuffered(into, offset, error);
  }

  void limit(std::uint64_t end) noexcept override { inner_->limit(end); }

 private:
  static constexpr std::uint64_t piece_size = std::uint64_t{8} << 20;
  // The kernel reads ahead by twice what the device is set to (read_ahead_kb), usually 128 KiB to 8 MiB. Pieces so far
  // ahead are as others left them.
  static constexpr std::uint64_t pieces_ahead = 8;
  static constexpr std::uint64_t pieces_near = 3;
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  // Blocks are powers of two and end at multiples of their size: none crosses the end of a piece.
  static read_setup limited(read_setup setup) noexcept {
    setup.block = std::min<std::size_t>(setup.block, piece_size);
    return setup;
  }

  void enter(std::uint64_t piece) noexcept {
    if (piece == piece_) return;
    const bool follows = piece_ != none && piece == piece_ + 1;
    if (follows)
      drop(piece_);
    else
      leave();
    piece_ = piece;
    for (std::uint64_t ahead = follows ? pieces_ahead : 0; ahead <= pieces_ahead; ++ahead)
      stays(piece + ahead) = is_mostly_cached(piece + ahead);
    // What was judged first may have been another such reader's, which has dropped it since.
    if (bool& near = stays(piece + pieces_near); follows && near) near = is_mostly_cached(piece + pieces_near);
  }

  void leave() noexcept {
    if (piece_ == none) return;
    for (std::uint64_t ahead = 0; ahead <= pieces_ahead; ++ahead) drop(piece_ + ahead);
  }

  void drop(std::uint64_t piece) noexcept {
    if (stays(piece)) return;
    std::error_code ignored;  // a hint
    uninterrupted(ignored, [&] { file_.advise(os::advice::dont_need, piece * piece_size, piece_size, ignored); });
  }

  // Whether the piece was in the page cache before; of those from piece_ on to pieces_ahead after it.
  [[nodiscard]] bool& stays(std::uint64_t piece) noexcept { return stays_[piece % stays_.size()]; }

  [[nodiscard]] bool is_mostly_cached(std::uint64_t piece) const noexcept try {
    const std::uint64_t begin = piece * piece_size;
    std::error_code error;
    const std::uint64_t size = file_.status(error).size;
    if (error || begin >= size) return false;
    os::residency residency;
    uninterrupted(error, [&] { residency = file_.cached_in(begin, std::min(piece_size, size - begin), error); });
    return !error && residency.cached * 2 >= residency.pages;
  } catch (const std::bad_alloc&) {
    return false;
  }

  os::file& file_;
  std::unique_ptr<read_method> inner_;
  std::uint64_t piece_ = none;
  std::array<bool, pieces_ahead + 1> stays_{};
};

}  // namespace

std::unique_ptr<read_method> make_dropping_reading(os::file& source, const read_setup& setup) {
  return std::make_unique<dropping_reading>(source, setup);
}

}  // namespace freshet::detail

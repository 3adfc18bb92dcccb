#include <freshet/filebuf.hpp>

#include <algorithm>
#include <cstring>
#include <locale>
#include <span>
#include <system_error>
#include <utility>

#include "src/method/file_log.hpp"
#include "src/os/file.hpp"
#include "src/stream/conversion.hpp"
#include "src/stream/filebuf_steps.hpp"
#include "src/stream/put_area_watch.hpp"

namespace freshet {
namespace {

// Whether the system lets `move` move the descriptor's own position. Moves it back: the next bytes may be written
// there.
template <typename Move>
bool can_move_position(native_handle_type descriptor, Move move) noexcept {
  auto file = detail::os::file::wrap(descriptor, false);
  std::error_code error;
  const std::uint64_t position = file.position(error);
  if (!error) move(file, error);
  if (error) return false;
  file.set_position(position, error);
  return !error;
}

}  // namespace

struct detail::put_back_character {
  char value;
};
void detail::destroy(put_back_character* character) noexcept { delete character; }
void detail::destroy(put_area_watch* watch) noexcept { delete watch; }

void filebuf::swap(filebuf& other) noexcept {
  std::streambuf::swap(other);
  std::swap(out_, other.out_);
  std::swap(watch_, other.watch_);
  if (watch_) watch_->follow(*this);
  if (other.watch_) other.watch_->follow(other);
  std::swap(in_, other.in_);
  std::swap(closed_out_, other.closed_out_);
  std::swap(closed_in_, other.closed_in_);
  std::swap(activity_, other.activity_);
  std::swap(has_positions_, other.has_positions_);
  std::swap(unbuffered_, other.unbuffered_);
  std::swap(converts_, other.converts_);
  std::swap(front_, other.front_);
  std::swap(put_back_, other.put_back_);
  std::swap(error_, other.error_);
}

std::string_view filebuf::method() noexcept {
  if (out_) return detail::sink_of(out_).method_name();
  return in_ ? detail::source_of(in_).method_name() : std::string_view{};
}

native_handle_type filebuf::native_handle() const noexcept {
  // Of a file that is written and read, the half that is at work has the position.
  if (in_ && (!out_ || activity_ == activity::reading))
    detail::source_of(in_).share_position();
  else if (out_)
    detail::sink_of(out_).share_position();
  return descriptor();
}

native_handle_type filebuf::descriptor() const noexcept {
  if (out_) return detail::sink_of(out_).descriptor();
  return in_ ? detail::source_of(in_).descriptor() : no_native_handle;
}

checksum filebuf::checksum() const noexcept {
  const auto& out = out_ ? out_ : closed_out_;
  return out ? detail::sink_of(out).checksum() : freshet::checksum{};
}

void filebuf::collect_statistics(file_statistics& result) const {
  const auto& out = out_ ? out_ : closed_out_;
  const auto& in = in_ ? in_ : closed_in_;
  if (out) result = detail::sink_of(out).statistics();
  if (in) detail::add_statistics(detail::source_of(in).statistics(), result);
}

// Writing.

detail::sink& filebuf::take_put_area() noexcept {
  detail::sink& out = detail::sink_of(out_);
  if (const std::size_t inherited = watch_ ? watch_->take_inherited() : 0; inherited != 0) {
    const auto own = static_cast<std::size_t>(pptr() - pbase()) - inherited;
    std::memmove(pbase(), pbase() + inherited, own);
    pbump(-static_cast<int>(inherited));
  }
  if (put_area_is_block())
    out.fill_to(reinterpret_cast<const std::byte*>(pptr()));
  else
    out.write(std::as_bytes(std::span{pbase(), pptr()}));
  setp(nullptr, nullptr);
  return out;
}

void filebuf::show_output() noexcept {
  const detail::sink_window& window = detail::sink_of(out_).window();
  front_ = static_cast<std::streamoff>(window.offset());
  char* const front = reinterpret_cast<char*>(window.memory().data());
  const std::size_t unwritten = window.unwritten().size();
  setp(front, front + (unbuffered_ || converts_ ? unwritten : window.memory().size()));
  pbump(static_cast<int>(unwritten));
}

bool filebuf::start_writing() noexcept {
  if (out_ && is_converting()) return false;
  if (is_writing()) return true;
  const auto seek = [this](detail::sink& out) { out.seek(static_cast<std::uint64_t>(front_)); };
  if (!out_ || !pause()) return false;
  if (in_) detail::source_of(in_).yield_position();
  if (!exchange_window(seek)) return false;
  activity_ = activity::writing;
  return true;
}

bool filebuf::flush() noexcept {
  return exchange_window([](detail::sink& out) { out.flush(); });
}

filebuf::int_type filebuf::overflow(int_type character) {
  // A derived class that has memory of its own sets it again afterwards: nothing may stay in the block.
  const bool stays = put_area_is_block();
  if (!start_writing() || (!stays && !flush())) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  return filebuf::xsputn(&one, 1) == 1 && (stays || flush()) ? character : traits_type::eof();
}

std::streamsize filebuf::xsputn(const char* from, std::streamsize length) {
  // Streams that know no more than a std::ostream come here with every piece. Where nothing is written, there is no
  // room.
  if (length > 0 && length <= epptr() - pptr()) [[likely]] {
    std::memcpy(pptr(), from, static_cast<std::size_t>(length));
    pbump(static_cast<int>(length));
    return length;
  }
  if (!put_area_is_block() || !start_writing())
    return std::streambuf::xsputn(from, length);  // what overrides overflow()
  if (length <= 0) return 0;
  const std::span bytes{from, static_cast<std::size_t>(length)};
  const auto write = [&](detail::sink& out) { out.write(std::as_bytes(bytes)); };
  return exchange_window(write) && (!unbuffered_ || flush()) ? length : 0;
}

int filebuf::sync() { return !is_writing() || flush() ? 0 : -1; }

// Reading.

void filebuf::show_input(std::streamoff offset) noexcept {
  const auto window = detail::source_of(in_).window();
  front_ = static_cast<std::streamoff>(detail::source_of(in_).offset());
  // The get area is never written to: a character that is put back and differs has its own get area.
  char* const front = const_cast<char*>(reinterpret_cast<const char*>(window.data()));
  setg(front, front + (offset - front_), front + window.size());
  if (!converts_) return;
  front_ = offset;
  setg(gptr(), gptr(), gptr());
}

bool filebuf::start_reading() noexcept {
  if (in_ && is_converting()) return false;
  if (activity_ == activity::reading) return true;
  if (!in_ || !pause()) return false;
  if (out_) detail::sink_of(out_).yield_position();
  detail::source& in = detail::source_of(in_);
  // A file that is read from its start need not be known.
  const bool continues = !out_ && front_ == static_cast<std::streamoff>(in.offset());
  const bool seeks = !continues && in.can_seek();
  if (seeks) in.seek(static_cast<std::uint64_t>(front_));
  activity_ = activity::reading;
  show_input(seeks ? front_ : static_cast<std::streamoff>(in.offset()));
  return true;
}

// Precondition: the get area is used up.
bool filebuf::refill() {
  const auto offset = position();
  if (put_back_) {
    put_back_.reset();
    show_input(offset);
    if (gptr() < egptr()) return true;
  }
  detail::source& in = detail::source_of(in_);
  in.next_window();
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return gptr() < egptr();
}

// Only an exception lets a stream distinguish a failure from the end of the file.
void filebuf::throw_if_unreadable() {
  if (!detail::source_of(in_).failure()) return;
  record_error([&] { throw detail::source_of(in_).failure_as_error(); });
  throw std::ios_base::failure{error_->what(), error_->code()};
}

void filebuf::throw_if_converting() {
  if (in_ && is_converting()) throw std::ios_base::failure{error_->what(), error_->code()};
}

filebuf::int_type filebuf::underflow() {
  throw_if_converting();
  if (!start_reading() || (gptr() == egptr() && !refill())) return traits_type::eof();
  return traits_type::to_int_type(*gptr());
}

std::streamsize filebuf::xsgetn(char* into, std::streamsize length) {
  throw_if_converting();
  if (!start_reading()) return std::streambuf::xsgetn(into, length);  // what overrides underflow()
  std::streamsize count = 0;
  while (count < length) {
    if (gptr() == egptr() && !put_back_) return count + read_past_area(into + count, length - count);
    if (gptr() == egptr() && !refill()) return count;
    const auto piece = std::min<std::streamsize>(egptr() - gptr(), length - count);
    std::memcpy(into + count, gptr(), static_cast<std::size_t>(piece));
    setg(eback(), gptr() + piece, egptr());
    count += piece;
  }
  return count;
}

// Reads the bytes after the get area. Precondition: the get area is used up.
std::streamsize filebuf::read_past_area(char* into, std::streamsize length) {
  detail::source& in = detail::source_of(in_);
  const auto count = in.read(std::as_writable_bytes(std::span{into, static_cast<std::size_t>(length)}));
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return static_cast<std::streamsize>(count);
}

filebuf::int_type filebuf::pbackfail(int_type character) {
  if (!start_reading()) return traits_type::eof();
  const bool holds_another = static_cast<bool>(put_back_);  // moving back drops it
  if (gptr() > eback())
    setg(eback(), gptr() - 1, egptr());
  else if (!go_to(position() - 1) || traits_type::eq_int_type(filebuf::underflow(), traits_type::eof()))
    return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  if (traits_type::eq_int_type(character, traits_type::to_int_type(*gptr()))) return character;
  if (holds_another) return traits_type::eof();
  front_ = position();
  put_back_.reset(new detail::put_back_character{traits_type::to_char_type(character)});
  setg(&put_back_->value, &put_back_->value, &put_back_->value + 1);
  return character;
}

std::streamsize filebuf::showmanyc() {
  if (!in_) return -1;
  std::error_code unknown;
  detail::source& in = detail::source_of(in_);
  const auto size = static_cast<std::streamoff>(in.size(unknown));
  const auto at = tell();
  if (!unknown && at >= 0 && size > at) return size - at;
  return static_cast<std::streamsize>(in.ready());
}

// Positions.

std::streamoff filebuf::tell() noexcept {
  if (out_ && detail::sink_of(out_).is_position_shared()) {
    if (is_writing() && !exchange_window([](detail::sink& out) { out.sync_position(); })) return -1;
    if (const auto at = detail::sink_of(out_).expected()) front_ = static_cast<std::streamoff>(*at);
    return has_positions_ || tell_first() >= 0 ? position() : -1;
  }
  return has_positions_ ? position() : tell_first();
}

std::streamoff filebuf::tell_first() noexcept {
  if (!is_open() || (out_ && detail::sink_of(out_).failure())) return -1;
  has_positions_ = out_ ? detail::sink_of(out_).can_seek() : detail::source_of(in_).can_seek();
  const bool is_counted =
      has_positions_ || (out_ ? detail::sink_of(out_).has_position() : detail::source_of(in_).has_position());
  return is_counted ? position() : -1;
}

// Ends writing or reading, so that the next call can continue anywhere in the file.
bool filebuf::pause() noexcept {
  const bool written = !is_writing() || flush();
  if (is_writing()) detail::sink_of(out_).expect_here();
  front_ = position();
  // Where nothing can be read again, reading goes on after the last byte that was used.
  if (activity_ == activity::reading && !detail::source_of(in_).can_seek()) {
    detail::source& in = detail::source_of(in_);
    const auto used = front_ - static_cast<std::streamoff>(in.offset());
    in.take(std::min(static_cast<std::size_t>(std::max<std::streamoff>(used, 0)), in.window().size()));
  }
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  activity_ = activity::none;
  return written;
}

// File systems limit the size of a file, and a block device has its own. Asking costs system calls, which elsewhere
// only a far target is worth.
bool filebuf::is_reachable(std::streamoff target) const noexcept {
  constexpr std::streamoff far = std::streamoff{1} << 40;
  const bool has_fixed_size = out_ ? detail::sink_of(out_).has_fixed_size() : detail::source_of(in_).has_fixed_size();
  if (target < far && !has_fixed_size) return true;
  return can_move_position(descriptor(), [target](detail::os::file& file, std::error_code& error) {
    file.set_position(static_cast<std::uint64_t>(target), error);
  });
}

// Pipes and terminals have no positions, as with std; where a file could have them, the reason is recorded.
bool filebuf::has_positions() noexcept {
  if (tell() < 0) return false;
  const std::string_view why = out_ ? detail::sink_of(out_).why_no_seek() : std::string_view{};
  if (why.empty()) return has_positions_;
  return record_error([&] {
    throw error{std::make_error_code(std::errc::operation_not_supported), "seek in", detail::sink_of(out_).path(),
                error::no_offset, why};
  });
}

bool filebuf::go_to(std::streamoff target) noexcept {
  if (!has_positions() || (target < 0 && pause()) || !is_reachable(target) || !pause()) return false;
  front_ = target;
  const auto offset = static_cast<std::uint64_t>(target);
  // A file that is written, too, is read afresh whenever reading begins.
  if (!out_) detail::source_of(in_).refresh(offset);
  if (out_ && in_) detail::source_of(in_).yield_position();
  if (out_) detail::sink_of(out_).expect(offset);
  return !out_ || !detail::sink_of(out_).failure();
}

std::streamoff filebuf::end_of_file() noexcept {
  if (!has_positions() || (is_writing() && !flush())) return -1;
  std::error_code failure;
  const auto size = out_ ? detail::sink_of(out_).size(failure) : detail::source_of(in_).size(failure);
  if (failure) return -1;
  if (size != 0) return static_cast<std::streamoff>(size);
  // Files below /proc say that they are empty, and most have no end.
  const auto move = [](detail::os::file& file, std::error_code& error) { file.set_position_to_end(error); };
  return can_move_position(descriptor(), move) ? 0 : -1;
}

filebuf::pos_type filebuf::seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) {
  if (from == std::ios_base::cur && by == 0) return tell();
  const std::streamoff base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? tell() : end_of_file();
  off_type target = 0;
  if (base < 0 || __builtin_add_overflow(base, by, &target) || !go_to(target)) return pos_type{-1};
  return target;
}

filebuf::pos_type filebuf::seekpos(pos_type to, std::ios_base::openmode) { return go_to(to) ? to : pos_type{-1}; }

std::streambuf* filebuf::setbuf(char* memory, std::streamsize length) {
  unbuffered_ = memory == nullptr && length == 0;
  if (is_writing()) flush();
  return this;
}

void filebuf::imbue(const std::locale& locale) {
  const bool converted = std::exchange(converts_, detail::may_convert(locale));
  if (converted == converts_) return;
  if (is_writing()) flush();
  if (activity_ != activity::reading) return;
  const auto offset = position();
  put_back_.reset();
  show_input(offset);
}

bool filebuf::is_converting() noexcept {
  if (!converts_) return false;
  record_error([this] {
    throw error{std::make_error_code(std::errc::not_supported), "convert characters of",
                out_ ? detail::sink_of(out_).path() : detail::source_of(in_).path(), error::no_offset,
                "the locale's codecvt facet changes characters; imbue std::locale::classic()"};
  });
  return true;
}

}  // namespace freshet

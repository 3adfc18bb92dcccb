#include <freshet/filebuf.hpp>

#include <algorithm>
#include <cstring>
#include <locale>
#include <span>
#include <system_error>
#include <utility>

#include "src/complete_path.hpp"
#include "src/input.hpp"
#include "src/output.hpp"

namespace freshet {
namespace {

using openmode = std::ios_base::openmode;

/// What the standard's table of open modes has done with a file.
enum class opening : std::uint8_t { invalid, read, write, append, edit };

opening opening_of(openmode mode) {
  using std::ios_base;
  constexpr openmode in = ios_base::in, out = ios_base::out, trunc = ios_base::trunc, app = ios_base::app;
  const openmode decisive = mode & (in | out | trunc | app);
  if (decisive == in) return opening::read;
  if (decisive == out || decisive == (out | trunc)) return opening::write;
  if (decisive == app || decisive == (out | app)) return opening::append;
  for (const openmode each : {in | out, in | out | trunc, in | app, in | out | app})
    if (decisive == each) return opening::edit;
  return opening::invalid;
}

detail::os::open_request edit_request(openmode mode) {
  using disposition = detail::os::open_request::disposition;
  const bool appends = (mode & std::ios_base::app) != 0;
  const bool empties = (mode & std::ios_base::trunc) != 0;
  return {.what = appends   ? disposition::create
                  : empties ? disposition::truncate
                            : disposition::existing,
          .read = true,
          .append = appends};
}

bool changes_characters(const std::locale& locale) {
  return !std::use_facet<std::codecvt<char, char, std::mbstate_t>>(locale).always_noconv();
}

detail::output& output_of(const detail::owned_file& file) noexcept { return static_cast<detail::output&>(*file); }
detail::input& input_of(const detail::owned_source& source) noexcept { return static_cast<detail::input&>(*source); }

char* as_char(detail::octet* at) noexcept { return reinterpret_cast<char*>(at); }
detail::octet* as_octet(char* at) noexcept { return reinterpret_cast<detail::octet*>(at); }

}  // namespace

struct detail::put_back_character {
  char value;
};
void detail::destroy(put_back_character* character) noexcept { delete character; }

// Opening and closing.

filebuf& filebuf::operator=(filebuf&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  filebuf{std::move(other)}.swap(*this);
  return *this;
}

filebuf::~filebuf() { abandon(); }

void filebuf::swap(filebuf& other) noexcept {
  std::streambuf::swap(other);
  std::swap(out_, other.out_);
  std::swap(in_, other.in_);
  std::swap(doing_, other.doing_);
  std::swap(has_positions_, other.has_positions_);
  std::swap(unbuffered_, other.unbuffered_);
  std::swap(converts_, other.converts_);
  std::swap(front_, other.front_);
  std::swap(put_back_, other.put_back_);
  std::swap(error_, other.error_);
}

template <typename Operation>
filebuf* filebuf::open_by(Operation open) noexcept {
  if (is_open()) return nullptr;
  error_.reset();
  if (attempt(open)) return this;
  abandon();
  return nullptr;
}

filebuf* filebuf::open(const path_argument& name, openmode mode, const writer_options& writing,
                       const reader_options& reading) {
  return open_by([&] {
    const detail::complete_path path{name};
    auto options = writing;
    switch (opening_of(mode)) {
      case opening::read:
        in_.reset(detail::input::open(path.get(), reading).release());
        input_of(in_).let_it_shrink();
        break;
      case opening::write:
        options.mode = open_mode::truncate;
        open_to_write(path.get(), options);
        break;
      case opening::append:
        options.mode = open_mode::append;
        open_to_write(path.get(), options);
        break;
      case opening::edit:
        open_to_edit(path.get(), mode, writing, reading);
        break;
      case opening::invalid:
        throw error{std::make_error_code(std::errc::invalid_argument), "open", path.get(), error::no_offset,
                    "there is no such combination of modes"};
    }
    if ((mode & std::ios_base::ate) != 0 && !go_to(end_of_file()))
      throw error{std::make_error_code(std::errc::invalid_seek), "find the end of", path.get()};
  });
}

filebuf* filebuf::open(const path_argument& name, const writer_options& options) {
  return open_by([&] { open_to_write(detail::complete_path{name}.get(), options); });
}

// What is only written needs no first call to begin.
void filebuf::open_to_write(const std::filesystem::path& name, const writer_options& options) {
  auto [file, room] = detail::open(name, options);
  out_ = std::move(file);
  doing_ = activity::writing;
  show_output(room);
}

void filebuf::open_to_edit(const std::filesystem::path& name, openmode mode, const writer_options& writing,
                           const reader_options& reading) {
  out_.reset(detail::output::edit(name, edit_request(mode), writing).release());
  detail::output& out = output_of(out_);
  in_.reset((out.can_seek() ? detail::input::share(out.descriptor(), name, reading)
                            : detail::input::adopt(out.descriptor(), false, reading))
                .release());
  input_of(in_).let_it_shrink();
}

filebuf* filebuf::close() noexcept {
  if (!is_open()) return nullptr;
  const bool written =
      !out_ || renew([](detail::open_file* file, detail::octet* end) { return detail::close(file, end); });
  const bool read = !in_ || attempt([&] { static_cast<void>(detail::close_source(in_.get(), nullptr)); });
  leave();
  return written && read ? this : nullptr;
}

void filebuf::abandon() noexcept {
  if (out_) detail::abandon(out_.get(), is_writing() ? as_octet(pptr()) : out_->front);
  leave();
}

void filebuf::leave() noexcept {
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  in_.reset();
  out_.reset();
  doing_ = activity::none;
  has_positions_ = false;
  front_ = 0;
}

bool filebuf::reserve(std::uint64_t bytes) noexcept {
  return attempt([&] { detail::reserve(out_.get(), bytes); });
}

std::string_view filebuf::method() noexcept {
  return out_ ? detail::method_name(out_.get()) : detail::method_name(in_.get());
}

int filebuf::native_handle() const noexcept {
  return out_ ? detail::native_handle(out_.get()) : detail::native_handle(in_.get());
}

template <typename Operation>
bool filebuf::attempt(Operation operation) noexcept {
  try {
    operation();
    return true;
  } catch (const error& why) {
    if (!error_) error_ = why;
  } catch (...) {  // only memory can be missing
    if (!error_) error_ = error{std::make_error_code(std::errc::not_enough_memory), "use", {}};
  }
  return false;
}

// Writing.

template <typename Operation>
bool filebuf::renew(Operation operation) noexcept {
  detail::octet* const filled_to = is_writing() ? as_octet(pptr()) : out_->front;
  setp(nullptr, nullptr);
  if (attempt([&] { show_output(operation(out_.get(), filled_to)); })) return true;
  has_positions_ = false;
  return false;
}

void filebuf::show_output(detail::window next) noexcept {
  front_ = static_cast<std::streamoff>(out_->front_offset);
  setp(as_char(out_->front), as_char(unbuffered_ ? next.cursor : next.limit));
  pbump(static_cast<int>(next.cursor - out_->front));
}

bool filebuf::start_writing() noexcept {
  if (is_writing()) return true;
  const auto go_on = [this](detail::open_file* file, detail::octet* end) {
    return detail::go_on_at(file, end, static_cast<std::uint64_t>(front_));
  };
  if (!out_ || is_converting() || !pause() || !renew(go_on)) return false;
  doing_ = activity::writing;
  return true;
}

bool filebuf::flush() noexcept {
  return renew([](detail::open_file* file, detail::octet* end) { return detail::flush(file, end); });
}

filebuf::int_type filebuf::overflow(int_type character) {
  if (!start_writing()) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize filebuf::xsputn(const char* from, std::streamsize length) {
  if (length <= 0 || !start_writing()) return 0;
  const std::span bytes{from, static_cast<std::size_t>(length)};
  const auto write = [&](detail::open_file* file, detail::octet* end) {
    return detail::write_across(file, end, std::as_bytes(bytes));
  };
  return renew(write) && (!unbuffered_ || flush()) ? length : 0;
}

int filebuf::sync() { return !is_writing() || flush() ? 0 : -1; }

// Reading.

void filebuf::show_input(std::streamoff position) noexcept {
  const auto window = input_of(in_).window();
  front_ = static_cast<std::streamoff>(input_of(in_).offset());
  // Nothing is ever written to a get area: what is put back and differs stands in one of its own.
  char* const front = const_cast<char*>(reinterpret_cast<const char*>(window.data()));
  setg(front, front + (position - front_), front + window.size());
}

bool filebuf::start_reading() noexcept {
  if (doing_ == activity::reading) return true;
  if (!in_ || is_converting() || !pause()) return false;
  detail::input& in = input_of(in_);
  if (in.can_seek()) in.seek(static_cast<std::uint64_t>(front_));
  doing_ = activity::reading;
  show_input(in.can_seek() ? front_ : static_cast<std::streamoff>(in.offset()));
  return true;
}

// Precondition: the get area is used up.
bool filebuf::refill() {
  const auto position = here();
  if (put_back_) {
    put_back_.reset();
    show_input(position);
    if (gptr() < egptr()) return true;
  }
  detail::input& in = input_of(in_);
  in.refill();
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return gptr() < egptr();
}

// Only an exception has a stream tell a failure from the file's end.
void filebuf::throw_if_unreadable() {
  if (!input_of(in_).failure()) return;
  attempt([&] { throw input_of(in_).failure_as_error(); });
  throw std::ios_base::failure{error_->what(), error_->code()};
}

filebuf::int_type filebuf::underflow() {
  if (!start_reading() || (gptr() == egptr() && !refill())) return traits_type::eof();
  return traits_type::to_int_type(*gptr());
}

std::streamsize filebuf::xsgetn(char* into, std::streamsize length) {
  if (!start_reading()) return 0;
  std::streamsize got = 0;
  while (got < length) {
    if (gptr() == egptr() && !put_back_) return got + read_past_area(into + got, length - got);
    if (gptr() == egptr() && !refill()) return got;
    const auto piece = std::min<std::streamsize>(egptr() - gptr(), length - got);
    std::memcpy(into + got, gptr(), static_cast<std::size_t>(piece));
    setg(eback(), gptr() + piece, egptr());
    got += piece;
  }
  return got;
}

// What lies behind the get area, which is used up.
std::streamsize filebuf::read_past_area(char* into, std::streamsize length) {
  detail::input& in = input_of(in_);
  const auto got = in.read(std::as_writable_bytes(std::span{into, static_cast<std::size_t>(length)}));
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return static_cast<std::streamsize>(got);
}

filebuf::int_type filebuf::pbackfail(int_type character) {
  if (!start_reading()) return traits_type::eof();
  if (gptr() > eback())
    setg(eback(), gptr() - 1, egptr());
  else if (!go_to(here() - 1) || traits_type::eq_int_type(underflow(), traits_type::eof()))
    return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  if (traits_type::eq_int_type(character, traits_type::to_int_type(*gptr()))) return character;
  if (put_back_) return traits_type::eof();
  front_ = here();
  put_back_.reset(new detail::put_back_character{traits_type::to_char_type(character)});
  setg(&put_back_->value, &put_back_->value, &put_back_->value + 1);
  return character;
}

std::streamsize filebuf::showmanyc() {
  if (!in_) return -1;
  std::error_code unknown;
  const auto size = static_cast<std::streamoff>(input_of(in_).size(unknown));
  return unknown || tell() < 0 ? 0 : std::max<std::streamoff>(size - here(), 0);
}

// Positions.

std::streamoff filebuf::tell_first() noexcept {
  if (!is_open() || (out_ && output_of(out_).failure())) return -1;
  has_positions_ = out_ ? output_of(out_).can_seek() : input_of(in_).can_seek();
  return has_positions_ ? here() : -1;
}

// Ends writing or reading, wherever the file is to go on next.
bool filebuf::pause() noexcept {
  const bool written = !is_writing() || flush();
  front_ = here();
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  doing_ = activity::none;
  return written;
}

bool filebuf::go_to(std::streamoff position) noexcept {
  if (tell() < 0 || (position < 0 && pause())) return false;
  const bool at_hand = doing_ == activity::reading && !put_back_ && position >= front_;
  if (at_hand && position - front_ <= egptr() - eback()) {
    setg(eback(), eback() + (position - front_), egptr());
    return true;
  }
  if (!pause()) return false;
  front_ = position;
  return true;
}

std::streamoff filebuf::end_of_file() noexcept {
  if (tell() < 0 || (is_writing() && !flush())) return -1;
  std::error_code failure;
  const auto size = out_ ? output_of(out_).size(failure) : input_of(in_).size(failure);
  return failure ? -1 : static_cast<std::streamoff>(size);
}

filebuf::pos_type filebuf::seekoff(off_type by, std::ios_base::seekdir from, openmode) {
  if (from == std::ios_base::cur && by == 0) return tell();
  const std::streamoff base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? tell() : end_of_file();
  off_type position = 0;
  if (base < 0 || __builtin_add_overflow(base, by, &position) || !go_to(position)) return pos_type{-1};
  return position;
}

filebuf::pos_type filebuf::seekpos(pos_type to, openmode) { return go_to(to) ? to : pos_type{-1}; }

std::streambuf* filebuf::setbuf(char* memory, std::streamsize length) {
  unbuffered_ = memory == nullptr && length == 0;
  if (is_writing()) flush();
  return this;
}

void filebuf::imbue(const std::locale& locale) {
  converts_ = changes_characters(locale);
  if (converts_) pause();
}

bool filebuf::is_converting() noexcept {
  const auto refuse = [] {
    throw error{std::make_error_code(std::errc::not_supported),
                "use",
                {},
                error::no_offset,
                "the locale's codecvt facet changes characters"};
  };
  if (converts_) attempt(refuse);
  return converts_;
}

}  // namespace freshet

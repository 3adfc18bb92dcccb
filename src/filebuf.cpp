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

/// What the standard's table of open modes does with a file.
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

}  // namespace

struct detail::put_back_character {
  char value;
};
void detail::destroy(put_back_character* character) noexcept { delete character; }

// Opening and closing.

filebuf& filebuf::operator=(filebuf&& other) noexcept {
  if (this == &other) return *this;
  discard();
  filebuf{std::move(other)}.swap(*this);
  return *this;
}

filebuf::~filebuf() { discard(); }

void filebuf::swap(filebuf& other) noexcept {
  std::streambuf::swap(other);
  std::swap(out_, other.out_);
  std::swap(in_, other.in_);
  std::swap(activity_, other.activity_);
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
  if (record_error(open)) return this;
  discard();
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
        input_of(in_).allow_truncation();
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
                    "this combination of modes is not valid"};
    }
    if ((mode & std::ios_base::ate) != 0 && !go_to(end_of_file()))
      throw error{std::make_error_code(std::errc::invalid_seek), "find the end of", path.get()};
  });
}

filebuf* filebuf::open(const path_argument& name, const writer_options& options) {
  return open_by([&] { open_to_write(detail::complete_path{name}.get(), options); });
}

// A file that is only written starts with a put area; other files get their area with the first call.
void filebuf::open_to_write(const std::filesystem::path& name, const writer_options& options) {
  out_.reset(detail::output::open(name, options).release());
  activity_ = activity::writing;
  show_output(0);
}

void filebuf::open_to_edit(const std::filesystem::path& name, openmode mode, const writer_options& writing,
                           const reader_options& reading) {
  out_.reset(detail::output::edit(name, edit_request(mode), writing).release());
  detail::output& out = output_of(out_);
  in_.reset((out.can_seek() ? detail::input::share(out.descriptor(), name, reading)
                            : detail::input::adopt(out.descriptor(), false, reading))
                .release());
  input_of(in_).allow_truncation();
}

filebuf* filebuf::close() noexcept {
  if (!is_open()) return nullptr;
  const bool written = !out_ || exchange_window([](detail::output& out, std::size_t filled) {
    out.close(filled);
    return std::size_t{0};
  });
  const bool read = !in_ || record_error([&] {
    input_of(in_).close();
    if (input_of(in_).failure()) throw input_of(in_).failure_as_error();
  });
  release();
  return written && read ? this : nullptr;
}

void filebuf::discard() noexcept {
  if (out_) output_of(out_).discard(static_cast<std::size_t>(pptr() - pbase()));
  release();
}

void filebuf::release() noexcept {
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  in_.reset();
  out_.reset();
  activity_ = activity::none;
  has_positions_ = false;
  front_ = 0;
}

bool filebuf::reserve(std::uint64_t bytes) noexcept {
  return record_error([&] {
    if (!out_)
      throw error{std::make_error_code(std::errc::bad_file_descriptor),
                  "use",
                  {},
                  error::no_offset,
                  "the file is not open for writing"};
    std::error_code failure;
    detail::output& out = output_of(out_);
    out.reserve(bytes, failure);
    if (out.failure()) throw out.failure_as_error();
    if (failure) throw error{failure, "reserve space for", out.path()};
  });
}

std::string_view filebuf::method() noexcept {
  if (out_) return output_of(out_).method_name();
  return in_ ? input_of(in_).method_name() : std::string_view{};
}

int filebuf::native_handle() const noexcept {
  if (out_) return output_of(out_).descriptor();
  return in_ ? input_of(in_).descriptor() : -1;
}

template <typename Operation>
bool filebuf::record_error(Operation operation) noexcept {
  try {
    operation();
    return true;
  } catch (const error& caught) {
    if (!error_) error_ = caught;
  } catch (...) {  // only std::bad_alloc is possible
    if (!error_) error_ = error{std::make_error_code(std::errc::not_enough_memory), "use", {}};
  }
  return false;
}

// Writing.

template <typename Operation>
bool filebuf::exchange_window(Operation operation) noexcept {
  detail::output& out = output_of(out_);
  const auto filled = static_cast<std::size_t>(pptr() - pbase());
  setp(nullptr, nullptr);
  const std::size_t kept = operation(out, filled);
  if (!out.failure()) {
    show_output(kept);
    return true;
  }
  record_error([&] { throw out.failure_as_error(); });
  has_positions_ = false;
  return false;
}

void filebuf::show_output(std::size_t filled) noexcept {
  const auto window = output_of(out_).window();
  front_ = static_cast<std::streamoff>(output_of(out_).offset());
  char* const front = reinterpret_cast<char*>(window.data());
  setp(front, front + (unbuffered_ ? filled : window.size()));
  pbump(static_cast<int>(filled));
}

bool filebuf::start_writing() noexcept {
  if (is_writing()) return true;
  const auto seek = [this](detail::output& out, std::size_t filled) {
    out.seek(filled, static_cast<std::uint64_t>(front_));
    return std::size_t{0};
  };
  if (!out_ || is_converting() || !pause() || !exchange_window(seek)) return false;
  activity_ = activity::writing;
  return true;
}

bool filebuf::flush() noexcept {
  return exchange_window([](detail::output& out, std::size_t filled) {
    out.flush(filled);
    return std::size_t{0};
  });
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
  const auto write = [&](detail::output& out, std::size_t filled) { return out.write(filled, std::as_bytes(bytes)); };
  return exchange_window(write) && (!unbuffered_ || flush()) ? length : 0;
}

int filebuf::sync() { return !is_writing() || flush() ? 0 : -1; }

// Reading.

void filebuf::show_input(std::streamoff offset) noexcept {
  const auto window = input_of(in_).window();
  front_ = static_cast<std::streamoff>(input_of(in_).offset());
  // The get area is never written to: a character that is put back and differs has its own get area.
  char* const front = const_cast<char*>(reinterpret_cast<const char*>(window.data()));
  setg(front, front + (offset - front_), front + window.size());
}

bool filebuf::start_reading() noexcept {
  if (activity_ == activity::reading) return true;
  if (!in_ || is_converting() || !pause()) return false;
  detail::input& in = input_of(in_);
  if (in.can_seek()) in.seek(static_cast<std::uint64_t>(front_));
  activity_ = activity::reading;
  show_input(in.can_seek() ? front_ : static_cast<std::streamoff>(in.offset()));
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
  detail::input& in = input_of(in_);
  in.refill();
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return gptr() < egptr();
}

// Only an exception lets a stream distinguish a failure from the end of the file.
void filebuf::throw_if_unreadable() {
  if (!input_of(in_).failure()) return;
  record_error([&] { throw input_of(in_).failure_as_error(); });
  throw std::ios_base::failure{error_->what(), error_->code()};
}

filebuf::int_type filebuf::underflow() {
  if (!start_reading() || (gptr() == egptr() && !refill())) return traits_type::eof();
  return traits_type::to_int_type(*gptr());
}

std::streamsize filebuf::xsgetn(char* into, std::streamsize length) {
  if (!start_reading()) return 0;
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
  detail::input& in = input_of(in_);
  const auto count = in.read(std::as_writable_bytes(std::span{into, static_cast<std::size_t>(length)}));
  show_input(static_cast<std::streamoff>(in.offset()));
  throw_if_unreadable();
  return static_cast<std::streamsize>(count);
}

filebuf::int_type filebuf::pbackfail(int_type character) {
  if (!start_reading()) return traits_type::eof();
  if (gptr() > eback())
    setg(eback(), gptr() - 1, egptr());
  else if (!go_to(position() - 1) || traits_type::eq_int_type(underflow(), traits_type::eof()))
    return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  if (traits_type::eq_int_type(character, traits_type::to_int_type(*gptr()))) return character;
  if (put_back_) return traits_type::eof();
  front_ = position();
  put_back_.reset(new detail::put_back_character{traits_type::to_char_type(character)});
  setg(&put_back_->value, &put_back_->value, &put_back_->value + 1);
  return character;
}

std::streamsize filebuf::showmanyc() {
  if (!in_) return -1;
  std::error_code unknown;
  const auto size = static_cast<std::streamoff>(input_of(in_).size(unknown));
  return unknown || tell() < 0 ? 0 : std::max<std::streamoff>(size - position(), 0);
}

// Positions.

std::streamoff filebuf::tell_first() noexcept {
  if (!is_open() || (out_ && output_of(out_).failure())) return -1;
  has_positions_ = out_ ? output_of(out_).can_seek() : input_of(in_).can_seek();
  return has_positions_ ? position() : -1;
}

// Ends writing or reading, so that the next call can continue anywhere in the file.
bool filebuf::pause() noexcept {
  const bool written = !is_writing() || flush();
  front_ = position();
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  activity_ = activity::none;
  return written;
}

bool filebuf::go_to(std::streamoff target) noexcept {
  if (tell() < 0 || (target < 0 && pause())) return false;
  const bool may_stay = activity_ == activity::reading && !put_back_ && target >= front_;
  if (may_stay && target - front_ <= egptr() - eback()) {
    setg(eback(), eback() + (target - front_), egptr());
    return true;
  }
  if (!pause()) return false;
  front_ = target;
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
  off_type target = 0;
  if (base < 0 || __builtin_add_overflow(base, by, &target) || !go_to(target)) return pos_type{-1};
  return target;
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
  if (converts_) record_error(refuse);
  return converts_;
}

}  // namespace freshet

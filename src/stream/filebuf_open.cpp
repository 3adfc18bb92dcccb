// How a filebuf opens and closes its file.
#include <new>
#include <system_error>
#include <utility>

#include "src/base/native_path.hpp"
#include "src/sink/output.hpp"
#include "src/source/input.hpp"
#include "src/stream/conversion.hpp"
#include "src/stream/filebuf_steps.hpp"
#include "src/stream/open_sink.hpp"
#include "src/stream/option_checks.hpp"
#include "src/stream/put_area_watch.hpp"

namespace freshet {
namespace {

using openmode = std::ios_base::openmode;

/// The flag std::ios_base::noreplace, where the standard library has it: C++23 names it, libstdc++ 12 and later have it
/// under a name of their own before that.
template <typename Base>
constexpr openmode noreplace_of() {
  if constexpr (requires { Base::noreplace; })
    return Base::noreplace;
  else if constexpr (requires { Base::__noreplace; })
    return Base::__noreplace;
  else
    return {};
}

bool must_not_exist(openmode mode) { return (mode & noreplace_of<std::ios_base>()) != openmode{}; }

/// What the standard's table of open modes does with a file.
enum class opening : std::uint8_t { invalid, read, write, append, edit };

opening opening_of(openmode mode) {
  using std::ios_base;
  constexpr openmode in = ios_base::in, out = ios_base::out, trunc = ios_base::trunc, app = ios_base::app;
  const openmode decisive = mode & (in | out | trunc | app);
  if (must_not_exist(mode) && decisive != out && decisive != (out | trunc) && decisive != (in | out | trunc))
    return opening::invalid;
  if (decisive == in) return opening::read;
  if (decisive == out || decisive == (out | trunc)) return opening::write;
  if (decisive == app || decisive == (out | app)) return opening::append;
  for (const openmode each : {in | out, in | out | trunc, in | app, in | out | app})
    if (decisive == each) return opening::edit;
  return opening::invalid;
}

detail::os::open_request edit_request(openmode mode) {
  using kind = detail::os::open_request::disposition;
  const bool appends = (mode & std::ios_base::app) != 0;
  const bool empties = (mode & std::ios_base::trunc) != 0;
  return {.creation = appends                ? kind::create
                      : must_not_exist(mode) ? kind::create_new
                      : empties              ? kind::truncate
                                             : kind::existing,
          .read = true,
          .append = appends};
}

}  // namespace

filebuf& filebuf::operator=(filebuf&& other) noexcept {
  if (this == &other) return *this;
  discard();
  filebuf{std::move(other)}.swap(*this);
  return *this;
}

filebuf::~filebuf() { discard(); }

template <typename Operation>
filebuf* filebuf::open_by(Operation open) {
  if (is_open()) return nullptr;
  error_.reset();
  closed_in_.reset();
  closed_out_.reset();
  converts_ = detail::may_convert(getloc());
  // Made now, because later there may be no memory for it.
  static_cast<void>(detail::memory_error());
  try {
    open();
    return this;
  } catch (const error& caught) {
    error_ = caught;
  } catch (...) {  // no memory
    discard();
    throw;
  }
  discard();
  return nullptr;
}

filebuf* filebuf::open(const path_argument& name, openmode mode, const writer_options& writing,
                       const reader_options& reading) {
  return open_by([&] {
    const detail::native_path path{name};
    auto options = writing;
    switch (opening_of(mode)) {
      case opening::read:
        in_.reset(detail::open_for_reading(path.get(), reading).release());
        detail::source_of(in_).allow_truncation();
        detail::source_of(in_).follow_descriptor();
        break;
      case opening::write:
        options.mode = must_not_exist(mode) ? open_mode::create_new : open_mode::truncate;
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
    // A device whose position means nothing has no end either, and opens, as with std.
    if ((mode & std::ios_base::ate) != 0 && !go_to(end_of_file()) && (has_positions_ || tell() < 0))
      throw error{std::make_error_code(std::errc::invalid_seek), "find the end of", path.get()};
  });
}

filebuf* filebuf::open(const path_argument& name, const writer_options& options) {
  return open_by([&] { open_to_write(detail::native_path{name}.get(), options); });
}

// A file that is only written starts with a put area; other files get their area with the first call.
void filebuf::open_to_write(const detail::native_string& name, const writer_options& options) {
  start_output(detail::owned_file{detail::open_sink(name, options).release()});
  activity_ = activity::writing;
  show_output();
}

void filebuf::start_output(detail::owned_file out) noexcept {
  out_ = std::move(out);
  watch_.reset(new (std::nothrow) detail::put_area_watch{*this});
}

void filebuf::open_to_edit(const detail::native_string& name, openmode mode, const writer_options& writing,
                           const reader_options& reading) {
  writer_options changing = writing;
  if ((mode & std::ios_base::app) != openmode{}) changing.mode = open_mode::append;
  detail::check_options(name, changing, detail::opened_as::edited);
  detail::check_options(name, reading, detail::opened_as::edited);
  auto file = detail::output::edit(name, edit_request(mode), writing);
  detail::output& out = *file;
  out.expect_here();
  if (writing.flush_every != 0) out.flush_every(writing.flush_every);
  start_output(detail::owned_file{file.release()});
  in_.reset((out.can_seek() ? detail::input::share(out.descriptor(), name, reading)
                            : detail::input::adopt(out.descriptor(), false, reading))
                .release());
  detail::source_of(in_).allow_truncation();
  detail::source_of(in_).follow_descriptor();
}

filebuf* filebuf::close() noexcept {
  if (!is_open()) return nullptr;
  const bool written = !out_ || exchange_window([](detail::sink& out) { out.close(); });
  const bool read = !in_ || record_error([&] {
    detail::source_of(in_).close();
    if (detail::source_of(in_).failure()) throw detail::source_of(in_).failure_as_error();
  });
  release();
  return written && read ? this : nullptr;
}

void filebuf::discard() noexcept {
  if (out_) take_put_area().discard();
  if (in_) detail::source_of(in_).close();
  release();
}

void filebuf::release() noexcept {
  setp(nullptr, nullptr);
  setg(nullptr, nullptr, nullptr);
  put_back_.reset();
  watch_.reset();
  closed_in_ = std::move(in_);
  closed_out_ = std::move(out_);
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
    detail::sink& out = detail::sink_of(out_);
    out.reserve(bytes, failure);
    if (out.failure()) throw out.failure_as_error();
    if (failure) throw error{failure, "reserve space for", out.path()};
  });
}

}  // namespace freshet

// A hand-written file stream: it writes whole buffers, reserve() is like a vector's, tellp() is a subtraction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

#include "descriptor.hpp"

class fast_filebuf : public std::streambuf {
 public:
  // Precondition: `size` is a multiple of 4096 if `file` bypasses the cache.
  fast_filebuf(peer::descriptor file, std::size_t size)
      : file_{std::move(file)}, size_{size}, buffer_{new (page) char[size]} {
    setp(buffer_.get(), buffer_.get() + size_);
  }

  // Reserves space; close() frees what was not used.
  void reserve(std::uint64_t bytes) { file_.reserve(bytes); }

  void close() {
    file_.write_last(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    file_.close(tell());
  }

 protected:
  int_type overflow(int_type character) override {
    write_buffer();
    if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
  }

  std::streamsize xsputn(const char* from, std::streamsize length) override {
    for (std::streamsize left = length; left > 0;) {
      if (pptr() == epptr()) write_buffer();
      const auto piece = std::min<std::streamsize>(left, epptr() - pptr());
      std::memcpy(pptr(), from, static_cast<std::size_t>(piece));
      pbump(static_cast<int>(piece));
      from += piece;
      left -= piece;
    }
    return length;
  }

  // Supports only tellp().
  pos_type seekoff(off_type by, std::ios::seekdir from, std::ios::openmode) override {
    return by == 0 && from == std::ios::cur ? pos_type(static_cast<off_type>(tell())) : pos_type(off_type{-1});
  }

 private:
  struct free_page {
    void operator()(char* memory) const { operator delete[](memory, page); }
  };
  static constexpr std::align_val_t page{4096};

  [[nodiscard]] std::uint64_t tell() const { return written_ + static_cast<std::uint64_t>(pptr() - pbase()); }

  void write_buffer() {
    file_.write(buffer_.get(), size_);
    written_ += size_;
    setp(buffer_.get(), buffer_.get() + size_);
  }

  peer::descriptor file_;
  std::size_t size_;
  std::unique_ptr<char[], free_page> buffer_;
  std::uint64_t written_ = 0;
};

class fast_ofstream : public std::ostream {
 public:
  fast_ofstream(peer::descriptor file, std::size_t buffer) : std::ostream{nullptr}, buffer_{std::move(file), buffer} {
    rdbuf(&buffer_);
    exceptions(badbit);  // so that exceptions of the buffer are not hidden
  }
  void reserve(std::uint64_t bytes) { buffer_.reserve(bytes); }
  using std::ostream::write;
  void write(std::string_view text) { write(text.data(), static_cast<std::streamsize>(text.size())); }
  void close() { buffer_.close(); }

 private:
  fast_filebuf buffer_;
};

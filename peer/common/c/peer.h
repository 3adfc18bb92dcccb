// What every C peer shares: its arguments, the talk with whoever measures it, and opening and closing as the options
// say.
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>

// What is to be written, and how.
struct job {
  const char* file;
  uint64_t size;
  size_t buffer;
  bool reserve;
  bool write_through;
  bool no_cache;
  bool sequential;
  bool overwrite;
  unsigned choice;  // which of the words behind the option that only this peer has; the first by default
};

// What a peer can do, and its functions that do it.
struct peer {
  size_t buffer;  // what --buffer is by default; 0: there is no such option
  bool reserve;
  bool write_through;
  bool no_cache;
  bool direct;  // always as with --no-cache
  bool sequential;
  bool overwrite;
  const char* option;                      // an option of this peer alone; NULL: none
  const char* const* choices;              // the words it takes, and NULL
  void (*write_text)(const struct job*);   // NULL: not this workload
  void (*write_bytes)(const struct job*);  // NULL: not this workload
};

// Runs the peer from its arguments to its exit status.
int run_peer(int count, char** words, const struct peer* peer);

// Ends the program with errno's reason: cannot `operation` `file`.
noreturn void fail(const char* operation, const char* file);
// Ends the program because of its arguments.
noreturn void refuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Opens the file, sets space aside and gives hints as the options say.
int open_output(const struct job* job);
// Cuts the file to `length` where the options left more, and closes it.
void close_output(const struct job* job, int descriptor, uint64_t length);
// The same for stdio, whose streams are flushed by close_stream().
FILE* open_stream(const struct job* job);
// With a buffer as large as the options say, which is the caller's to free after the stream is closed.
FILE* open_buffered_stream(const struct job* job, char** buffer);
void close_stream(const struct job* job, FILE* stream, uint64_t length);

// Writes all of it, however many calls that takes.
void write_all(const struct job* job, int descriptor, const void* from, size_t length);
// The same at `offset`, wherever the descriptor stands.
void write_all_at(const struct job* job, int descriptor, const void* from, size_t length, uint64_t offset);
// As write_all() for the file's last bytes; with O_DIRECT, those that are no multiple of ALIGNMENT go through the
// cache.
void write_last(const struct job* job, int descriptor, const void* from, size_t length);
// `length` bytes, aligned as O_DIRECT wants them.
void* allocate_aligned(size_t length, const char* file);
// O_DIRECT wants addresses, lengths and offsets in multiples of this; enough for any disk of today.
enum { ALIGNMENT = 4096 };

#endif

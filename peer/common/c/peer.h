// What all C peers share: the arguments, the protocol, and opening and closing as the options say.
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>

// What to write, and how.
struct job {
  const char* file;
  uint64_t size;
  size_t buffer;
  bool reserve;
  bool write_through;
  bool no_cache;
  bool sequential;
  bool overwrite;
  unsigned choice;  // the index of the word given to this peer's own option; 0 by default
};

// The options and workloads of a peer, and the functions that perform them.
struct peer {
  size_t buffer;  // the default of --buffer; 0: no such option
  bool reserve;
  bool write_through;
  bool no_cache;
  bool direct;  // --no-cache is always on
  bool sequential;
  bool overwrite;
  const char* option;                      // this peer's own option; NULL: none
  const char* const* choices;              // the words it takes, then NULL
  void (*write_text)(const struct job*);   // NULL: not this workload
  void (*write_bytes)(const struct job*);  // NULL: not this workload
};

// Runs the peer. Returns the exit status.
int run_peer(int count, char** words, const struct peer* peer);

// Sets the method that `closed` reports; "buffered" unless it is called.
void report_method(const char* method);
// Whether writes to the descriptor bypass the page cache, as the kernel sees it.
bool is_direct(const struct job* job, int descriptor);

// Exits with the reason in errno: cannot `operation` `file`.
noreturn void fail(const char* operation, const char* file);
// Exits because of wrong arguments.
noreturn void refuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Opens the file, reserves space and gives hints as the options say.
int open_output(const struct job* job);
// Truncates the file to `length` if the options may have made it longer, and closes it.
void close_output(const struct job* job, int descriptor, uint64_t length);
// The same for stdio, whose streams are flushed by close_stream().
FILE* open_stream(const struct job* job);
// Gives the stream a buffer as large as the options say. The caller frees it after closing the stream.
FILE* open_buffered_stream(const struct job* job, char** buffer);
void close_stream(const struct job* job, FILE* stream, uint64_t length);

// Writes all bytes, in as many calls as needed.
void write_all(const struct job* job, int descriptor, const void* from, size_t length);
// The same at `offset`, independent of the descriptor's position.
void write_all_at(const struct job* job, int descriptor, const void* from, size_t length, uint64_t offset);
// As write_all() for the file's last bytes; with O_DIRECT, those that are no multiple of ALIGNMENT go through the
// cache. Before that it reports the method: "direct", if that is what the descriptor is.
void write_last(const struct job* job, int descriptor, const void* from, size_t length);
// Allocates `length` bytes, aligned for O_DIRECT.
void* allocate_aligned(size_t length, const char* file);
// O_DIRECT needs addresses, lengths and offsets in multiples of this; it suffices for all current disks.
enum { ALIGNMENT = 4096 };

#endif

#define _GNU_SOURCE  // O_DIRECT
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

noreturn void fail(const char* operation, const char* file) {
  fprintf(stderr, "cannot %s %s: %s\n", operation, file, strerror(errno));
  exit(1);
}

noreturn void refuse(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(2);
}

static const char* method_at_work = "buffered";

void report_method(const char* method) { method_at_work = method; }

static uint64_t number_from(const char* option, const char* word) {
  errno = 0;
  char* end;
  const unsigned long long number = strtoull(word, &end, 10);
  if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || number > INT64_MAX)
    refuse("--%s takes a number of bytes, not '%s'", option, word);
  return number;
}

static bool one_of(const char* option, const char* word, const char* yes, const char* no) {
  if (strcmp(word, yes) != 0 && strcmp(word, no) != 0) refuse("--%s is %s or %s, not '%s'", option, no, yes, word);
  return strcmp(word, yes) == 0;
}

static unsigned choice_from(const struct peer* peer, const char* word) {
  for (unsigned i = 0; peer->choices[i] != NULL; ++i)
    if (strcmp(word, peer->choices[i]) == 0) return i;
  refuse("--%s does not take '%s'", peer->option, word);
}

// Returns the workload's function.
static void (*read_arguments(int count, char** words, const struct peer* peer, struct job* job))(const struct job*) {
  enum { WORKLOAD = 1, FILE_NAME, SIZE, BUFFER, RESERVE, WRITE_THROUGH, NO_CACHE, SEQUENTIAL, TARGET, CHOICE };
  const struct option options[] = {
      {"workload", required_argument, NULL, WORKLOAD},
      {"file", required_argument, NULL, FILE_NAME},
      {"size", required_argument, NULL, SIZE},
      {"target", required_argument, NULL, TARGET},
      {peer->buffer != 0 ? "buffer" : "", required_argument, NULL, BUFFER},
      {peer->reserve ? "reserve" : "", no_argument, NULL, RESERVE},
      {peer->write_through ? "write-through" : "", no_argument, NULL, WRITE_THROUGH},
      {peer->no_cache ? "no-cache" : "", no_argument, NULL, NO_CACHE},
      {peer->sequential ? "sequential" : "", no_argument, NULL, SEQUENTIAL},
      {peer->option != NULL ? peer->option : "", required_argument, NULL, CHOICE},
      {NULL, 0, NULL, 0},
  };
  *job = (struct job){.buffer = peer->buffer};
  bool bytes = false;
  bool sized = false;
  for (int option, index = 0; (option = getopt_long(count, words, "", options, &index)) != -1;) {
    const char* const name = options[index].name;
    switch (option) {
      case WORKLOAD:
        bytes = one_of(name, optarg, "bytes", "text");
        break;
      case FILE_NAME:
        job->file = optarg;
        break;
      case SIZE:
        job->size = number_from(name, optarg);
        sized = true;
        break;
      case BUFFER:
        job->buffer = number_from(name, optarg);
        if (job->buffer == 0) refuse("--buffer must be at least 1");
        break;
      case RESERVE:
        job->reserve = true;
        break;
      case WRITE_THROUGH:
        job->write_through = true;
        break;
      case NO_CACHE:
        job->no_cache = true;
        break;
      case SEQUENTIAL:
        job->sequential = true;
        break;
      case TARGET:
        job->overwrite = one_of(name, optarg, "overwrite", "new");
        break;
      case CHOICE:
        job->choice = choice_from(peer, optarg);
        break;
      default:  // getopt_long() has printed what is wrong
        exit(2);
    }
  }
  if (optind < count) refuse("'%s' is not expected", words[optind]);
  if (job->file == NULL || !sized) refuse("--file and --size must be given");
  if (job->overwrite && !peer->overwrite) refuse("--target overwrite is not supported");
  if (peer->direct) job->no_cache = true;
  if (job->no_cache && job->buffer % ALIGNMENT != 0)
    refuse("past the cache, --buffer must be a multiple of %d", ALIGNMENT);
  if ((bytes ? peer->write_bytes : peer->write_text) == NULL) refuse("this workload is not supported");
  return bytes ? peer->write_bytes : peer->write_text;
}

// Prints a line of the protocol, and waits for one.
static void meet(const char* word, const char* more) {
  if (printf("%s%s%s\n", word, *more == '\0' ? "" : " ", more) < 0 || fflush(stdout) == EOF)
    fail("write to", "standard output");
  for (int character = getchar(); character != '\n' && character != EOF;) character = getchar();
}

int run_peer(int count, char** words, const struct peer* peer) {
  struct job job;
  void (*const write_workload)(const struct job*) = read_arguments(count, words, peer, &job);
  meet("ready", "");
  write_workload(&job);
  meet("closed", method_at_work);
  return 0;
}

int open_output(const struct job* job) {
  const int descriptor = open(job->file,
                              O_WRONLY | O_CLOEXEC | (job->overwrite ? 0 : O_CREAT | O_TRUNC) |
                                  (job->write_through ? O_DSYNC : 0) | (job->no_cache ? O_DIRECT : 0),
                              0666);
  if (descriptor == -1) fail("open", job->file);
  // These two functions return their error instead of setting errno.
  if (job->reserve && job->size > 0 && (errno = posix_fallocate(descriptor, 0, (off_t)job->size)) != 0)
    fail("set space aside for", job->file);
  if (job->sequential && (errno = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)) != 0)
    fail("give advice about", job->file);
  return descriptor;
}

static void cut(const struct job* job, int descriptor, uint64_t length) {
  if ((job->reserve || job->overwrite) && ftruncate(descriptor, (off_t)length) != 0) fail("cut", job->file);
}

void close_output(const struct job* job, int descriptor, uint64_t length) {
  cut(job, descriptor, length);
  if (close(descriptor) != 0) fail("close", job->file);
}

FILE* open_stream(const struct job* job) {
  FILE* const stream = fdopen(open_output(job), "w");
  if (stream == NULL) fail("open", job->file);
  return stream;
}

FILE* open_buffered_stream(const struct job* job, char** buffer) {
  // Without memory from the program, glibc uses 4 KiB whatever size is given.
  *buffer = allocate_aligned(job->buffer, job->file);
  FILE* const stream = open_stream(job);
  if (setvbuf(stream, *buffer, _IOFBF, job->buffer) != 0) fail("set a buffer for", job->file);
  return stream;
}

void close_stream(const struct job* job, FILE* stream, uint64_t length) {
  if (fflush(stream) != 0) fail("write", job->file);
  cut(job, fileno(stream), length);
  if (fclose(stream) != 0) fail("close", job->file);
}

void write_all(const struct job* job, int descriptor, const void* from, size_t length) {
  for (const char* next = from; length > 0;) {
    const ssize_t written = write(descriptor, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", job->file);
    next += written;
    length -= (size_t)written;
  }
}

void write_all_at(const struct job* job, int descriptor, const void* from, size_t length, uint64_t offset) {
  if (lseek(descriptor, (off_t)offset, SEEK_SET) == -1) fail("seek in", job->file);
  write_all(job, descriptor, from, length);
}

static int flags_of(const struct job* job, int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags == -1) fail("look at", job->file);
  return flags;
}

bool is_direct(const struct job* job, int descriptor) { return (flags_of(job, descriptor) & O_DIRECT) != 0; }

void write_last(const struct job* job, int descriptor, const void* from, size_t length) {
  if (job->no_cache) {
    const size_t whole = length - length % ALIGNMENT;
    write_all(job, descriptor, from, whole);
    if (is_direct(job, descriptor)) report_method("direct");
    if (fcntl(descriptor, F_SETFL, flags_of(job, descriptor) & ~O_DIRECT) == -1)
      fail("end direct writing of", job->file);
    from = (const char*)from + whole;
    length -= whole;
  }
  write_all(job, descriptor, from, length);
}

void* allocate_aligned(size_t length, const char* file) {
  // Use huge pages if the buffer can hold one: fewer faults, and fewer pages for the kernel to pin.
  const size_t huge = 2 << 20;
  void* memory;
  if ((errno = posix_memalign(&memory, length < huge ? ALIGNMENT : huge, length)) != 0)
    fail("allocate a buffer for", file);
  if (length >= huge) madvise(memory, length - length % huge, MADV_HUGEPAGE);
  return memory;
}

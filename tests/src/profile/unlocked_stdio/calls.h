/* Calls each function that has an unlocked form, in C and in C++; returns 0 when the files held what they should.
 * QUALIFIED stands before each name: nothing, or std:: in C++. Lengths and texts come from outside, so that
 * the compiler cannot replace these calls by others. */
#include <string.h>

#ifdef _POSIX_C_SOURCE
static int descriptor_of(FILE* file) { return fileno(file); }
#else
static int descriptor_of(FILE* file) { return file == NULL ? -1 : 0; }
#endif

static int differs(const char* path, size_t length) {
  static const char expected[] = "block\nabtext\n";
  enum { room = 64 };
  char content[room];
  char line[room];
  FILE* file = QUALIFIED fopen(path, "rb");
  if (file == NULL || descriptor_of(file) < 0) return 1;
  if (QUALIFIED fread(content, 1, 1, file) != 1 || QUALIFIED fread(content + 1, 1, length - 1, file) != length - 1)
    return 2;
  if (memcmp(content, expected, length) != 0) return 2;
  if (QUALIFIED fgetc(file) != 'a' || QUALIFIED getc(file) != 'b') return 3;
  if (QUALIFIED fgets(line, room, file) != line || strcmp(line, "text\n") != 0) return 4;
  if (QUALIFIED fread(content, 1, 1, file) != 0 || !QUALIFIED feof(file) || QUALIFIED ferror(file)) return 5;
  QUALIFIED clearerr(file);
  if (QUALIFIED feof(file)) return 6;
  return fclose(file) == 0 ? 0 : 7;
}

static int make(const char* path, size_t length, const char* text) {
  FILE* file = QUALIFIED fopen(path, "wb");
  if (file == NULL) return 8;
  if (QUALIFIED fwrite("b", 1, 1, file) != 1 || QUALIFIED fwrite("lock\n", 1, length - 1, file) != length - 1) return 9;
  if (QUALIFIED fputc('a', file) != 'a' || QUALIFIED putc('b', file) != 'b') return 10;
  if (QUALIFIED fputs(text, file) < 0 || QUALIFIED fflush(file) != 0) return 11;
  return fclose(file) == 0 ? 0 : 12;
}

/* Standard input comes back on standard output. */
static int echo(void) {
  int character;
  while ((character = QUALIFIED getchar()) != EOF)
    if (QUALIFIED putchar(character) != character) return 13;
  return 0;
}

/* For Microsoft's C library. Macros are needed because its compiler cannot define a body for calls only. They call
 * functions because some of the _nolock forms are macros, which cannot follow std::. */
#ifdef __cplusplus
extern "C" {
#endif

static __inline size_t freshet_fread_unlocked(void* into, size_t size, size_t count, FILE* stream) {
  return _fread_nolock(into, size, count, stream);
}
static __inline size_t freshet_fwrite_unlocked(const void* from, size_t size, size_t count, FILE* stream) {
  return _fwrite_nolock(from, size, count, stream);
}
static __inline int freshet_getc_unlocked(FILE* stream) { return _getc_nolock(stream); }
static __inline int freshet_getchar_unlocked(void) { return _getc_nolock(stdin); }
static __inline int freshet_putc_unlocked(int character, FILE* stream) { return _putc_nolock(character, stream); }
static __inline int freshet_putchar_unlocked(int character) { return _putc_nolock(character, stdout); }
static __inline int freshet_fflush_unlocked(FILE* stream) { return _fflush_nolock(stream); }

#ifdef __cplusplus
}
namespace std {
using ::freshet_fflush_unlocked;
using ::freshet_fread_unlocked;
using ::freshet_fwrite_unlocked;
using ::freshet_getc_unlocked;
using ::freshet_getchar_unlocked;
using ::freshet_putc_unlocked;
using ::freshet_putchar_unlocked;
}  // namespace std
#endif

#undef fread
#undef fwrite
#undef fgetc
#undef getc
#undef getchar
#undef fputc
#undef putc
#undef putchar
#undef fflush
#define fread(...) freshet_fread_unlocked(__VA_ARGS__)
#define fwrite(...) freshet_fwrite_unlocked(__VA_ARGS__)
#define fgetc(...) freshet_getc_unlocked(__VA_ARGS__)
#define getc(...) freshet_getc_unlocked(__VA_ARGS__)
#define getchar() freshet_getchar_unlocked()
#define fputc(...) freshet_putc_unlocked(__VA_ARGS__)
#define putc(...) freshet_putc_unlocked(__VA_ARGS__)
#define putchar(...) freshet_putchar_unlocked(__VA_ARGS__)
#define fflush(...) freshet_fflush_unlocked(__VA_ARGS__)

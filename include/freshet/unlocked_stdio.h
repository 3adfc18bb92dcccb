/** @file
 * Turns off the locking of stdio, for C and C++. In a file that includes this header, calls of
 *
 *     fread fwrite  fgetc getc getchar  fputc putc putchar  fgets fputs  fflush  feof ferror clearerr fileno
 *
 * become calls of their unlocked forms (fread_unlocked, …) if the C library has them: all of them on glibc and musl,
 * the first eight and fflush on Windows (_fread_nolock, …), none elsewhere. On glibc and musl, fwrite and fread of one
 * byte access the stream's buffer directly. The header may be included before or after `<stdio.h>` and `<cstdio>`. It
 * also applies to std::fwrite; &fwrite is still the C library's locking function. Classes may have members of these
 * names, and -std=c11 and _FORTIFY_SOURCE work.
 *
 * The program is then responsible for locking: if several threads use a stream at the same time, each use needs a lock
 * (flockfile, a mutex). Code that is compiled elsewhere (printf, puts, libraries, std::cout) still locks. Inline
 * functions in headers that are included after this one also call the unlocked forms. Include it last; otherwise a
 * function that other files compile, too, would have two definitions.
 *
 * On Windows, and for functions that the C library's header itself defines (glibc's fread and fgets with
 * _FORTIFY_SOURCE), the header defines function-like macros. These also rename class members of the same names: include
 * the header before such a class in every file, or in none. The checks of _FORTIFY_SOURCE stay if the unlocked form has
 * them, which in C requires _GNU_SOURCE.
 */
#ifndef FRESHET_UNLOCKED_STDIO_H
#define FRESHET_UNLOCKED_STDIO_H

#ifdef __cplusplus
#include <cstdio>
#endif
#include <stdio.h>

#if defined _MSC_VER || defined _UCRT
#include <freshet/detail/unlocked_stdio_windows.h>
#elif defined __UCLIBC__ || defined __BIONIC__
/* Untested: these keep their locks. */
#elif defined __GLIBC__
#include <freshet/detail/unlocked_stdio_glibc.h>
#elif defined __linux__ /* musl defines no macro of its own */
#include <freshet/detail/unlocked_stdio_musl.h>
#endif

#endif

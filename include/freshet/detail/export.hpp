// Which symbols a shared freshet exports: those that are marked so; everything else is hidden in it. Not for programs.
#pragma once

/// Marks a class or function that programs reach in a shared library, directly or through inline functions. A DLL
/// exports all: its linker knows no visibility.
#ifdef _WIN32
#define FRESHET_API
#else
#define FRESHET_API [[gnu::visibility("default")]]
#endif

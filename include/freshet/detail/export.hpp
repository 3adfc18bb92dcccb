// Which symbols a shared freshet exports: those that are marked so; everything else is hidden in it. Not for programs.
#pragma once

/// Marks a class or function that programs reach in a shared library, directly or through inline functions.
#define FRESHET_API [[gnu::visibility("default")]]

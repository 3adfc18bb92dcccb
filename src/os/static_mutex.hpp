// A mutex for what lives as long as the program.
#pragma once

#ifdef _WIN32
#include "src/os/windows/static_mutex.hpp"
#else
#include "src/os/unix/static_mutex.hpp"
#endif

// What most tests include, precompiled once for all test programs. Each file still includes what it uses: the clang
// preset compiles without this header.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// Tests of the library alone do without the one, and those of other systems without the other.
#if __has_include(<rapidcheck.h>)
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif

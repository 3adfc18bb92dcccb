// What the C++17 sources of a program need to know of its files.
#pragma once

#include <memory>
#include <ostream>
#include <string>

std::unique_ptr<std::ostream> create_file(const std::string& name);
bool close_file(std::ostream& file);

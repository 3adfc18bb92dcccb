#include "../numbers.hpp"

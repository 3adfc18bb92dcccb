#pragma once

typedef unsigned char uuid_t[16];
typedef char uuid_string_t[37];
extern "C" void uuid_unparse_lower(const uuid_t uuid, uuid_string_t text);

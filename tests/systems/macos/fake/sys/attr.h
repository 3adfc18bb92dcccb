#pragma once

#define ATTR_BIT_MAP_COUNT 5
#define ATTR_VOL_INFO 0x80000000U
#define ATTR_VOL_UUID 0x00040000U

struct attrlist {
  unsigned short bitmapcount;
  unsigned short reserved;
  unsigned int commonattr;
  unsigned int volattr;
  unsigned int dirattr;
  unsigned int fileattr;
  unsigned int forkattr;
};

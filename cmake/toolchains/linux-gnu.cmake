# For another processor's Linux, with a cross compiler of Debian's: what the toolchain files have in common that set
# `processor`. The libraries of that processor are looked for in a root of their own, FRESHET_ROOT, and nowhere else;
# tests/systems/foreign_root.sh makes build/systems/PROCESSOR, which is used where it exists. Without a root, the library is
# built without the packages that it can do without.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_C_COMPILER ${processor}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${processor}-linux-gnu-g++)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FRESHET_ROOT)
if(NOT DEFINED FRESHET_ROOT)
  get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../../build/systems/${processor} ABSOLUTE)
  if(IS_DIRECTORY ${root})
    set(FRESHET_ROOT ${root})
  endif()
endif()
set(FRESHET_ROOT "${FRESHET_ROOT}" CACHE PATH "A root of a file system with the libraries of the processor to build for")
if(FRESHET_ROOT)
  set(CMAKE_SYSROOT ${FRESHET_ROOT})
  set(runtime ${FRESHET_ROOT})
else()
  set(CMAKE_FIND_ROOT_PATH /usr/${processor}-linux-gnu)
  set(runtime /usr/${processor}-linux-gnu)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(FRESHET_EMULATOR NAMES qemu-${processor}-static qemu-${processor} DOC "Starts programs of that processor")
mark_as_advanced(FRESHET_EMULATOR)
if(FRESHET_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${FRESHET_EMULATOR} -L ${runtime})
endif()

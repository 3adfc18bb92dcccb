# The tests of the library for Windows. `windows.txt` lists what is left out, and why.
file(STRINGS systems/windows.txt left_out REGEX "^[a-z_]+/[a-z_]+_test.cpp .")
list(TRANSFORM left_out REPLACE " .*" "")
file(GLOB sources CONFIGURE_DEPENDS src/base/*_test.cpp src/filter/*_test.cpp src/method/*_test.cpp src/os/*_test.cpp
  src/profile/*_test.cpp src/sink/*_test.cpp src/source/*_test.cpp src/stream/*_test.cpp)
foreach(file IN LISTS left_out)
  if(NOT ${CMAKE_CURRENT_SOURCE_DIR}/src/${file} IN_LIST sources)
    message(FATAL_ERROR "systems/windows.txt leaves out ${file}, which is not there")
  endif()
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/src/${file})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} systems/windows.txt systems/windows/select_tests.py)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/systems/windows/select_tests.py
    ${CMAKE_CURRENT_SOURCE_DIR}/systems/windows.txt ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_BINARY_DIR}/selected ${sources}
  OUTPUT_VARIABLE selected OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" sources "${selected}")
file(GLOB own_sources CONFIGURE_DEPENDS systems/windows/*_test.cpp)
list(APPEND sources ${own_sources})
if(FRESHET_JOIN_TESTS)
  join_sources(sources windows ${sources})
endif()

add_executable(windows_test ${sources})
set_target_properties(windows_test PROPERTIES UNITY_BUILD OFF)
target_include_directories(windows_test PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(windows_test PRIVATE FRESHET_TEST_ON_DISK FRESHET_TESTS="Z:${PROJECT_SOURCE_DIR}/tests")
target_compile_options(windows_test PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/systems/windows/posix_calls.hpp)
target_compile_options(windows_test PRIVATE -O0)
target_link_libraries(windows_test PRIVATE freshet_internals fmt::fmt GTest::gmock_main)

# What Wine lacks of Windows, and with it the tests that fail there.
add_executable(wine_lacks systems/windows/wine_lacks.cpp)
add_dependencies(windows_test wine_lacks)

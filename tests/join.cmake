# Writes several sources of a test program as one: cmake -D output=FILE -D sources=FILE|FILE -D below=DIRECTORY -P join.cmake
# What sources share (templates, above all) is then compiled once. The unnamed namespace of each gets a name, so that no two
# sources share a name. Messages of the compiler and of tests name the sources, by their paths from the directory `below`.
string(REPLACE "|" ";" sources "${sources}")
set(joined "")
set(number 0)
cmake_path(GET output STEM batch)
foreach(source IN LISTS sources)
  math(EXPR number "${number} + 1")
  file(RELATIVE_PATH path ${below} ${source})
  file(READ ${source} text)
  string(REPLACE "\nnamespace {\n" "\nnamespace joined_${batch}_${number} {\n" text "${text}")
  string(APPEND joined "#line 1 \"${path}\"\n${text}")
endforeach()
file(WRITE ${output} "${joined}")

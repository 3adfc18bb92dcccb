# Has the command write its pages of the manual and its completion for shells, below `directory`:
#   cmake -D freshet=COMMAND -D directory=DIR -P cmake/usage.cmake
cmake_policy(VERSION 3.22)

# What the command prints for these words becomes the file.
function(write file)
  execute_process(COMMAND ${freshet} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${freshet} ${ARGN}: ${status}")
  endif()
  file(WRITE ${directory}/${file} "${text}")
endfunction()

file(REMOVE_RECURSE ${directory})
write(man1/freshet.1 help --man)
file(READ ${directory}/man1/freshet.1 page)
string(REGEX MATCHALL "\\.BR freshet[\\]-[a-z-]+" pages "${page}")
foreach(line IN LISTS pages)
  string(REGEX REPLACE ".*[\\]-" "" name ${line})
  write(man1/freshet-${name}.1 help ${name} --man)
endforeach()
write(bash/freshet completion bash)
write(zsh/_freshet completion zsh)
write(fish/freshet.fish completion fish)
file(TOUCH ${directory}/complete)

# Has the command write its pages of the manual and its completion for shells, below `directory`:
#   cmake -D freshet=COMMAND -D directory=DIR [-D without_laboratory=ON] -P cmake/usage.cmake
cmake_policy(VERSION 3.22)

# What the command prints for these words becomes the file. Of the laboratory's commands nothing is known until it is built.
function(write file)
  execute_process(COMMAND ${freshet} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE reason RESULT_VARIABLE status)
  if(status EQUAL 1 AND without_laboratory)
    return()
  elseif(NOT status EQUAL 0)
    message(FATAL_ERROR "${freshet} ${ARGN}: ${status}: ${reason}")
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

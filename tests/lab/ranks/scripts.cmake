if(TARGET freshet_mpi_lab)
  add_executable(ranks_program ranks/ranks_program.cpp)
  target_link_libraries(ranks_program PRIVATE freshet_together freshet_warnings)
  add_dependencies(ranks_program freshet_mpi_lab)
  freshet_script(ranks ranks/ranks_test.sh
    ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:ranks_program> $<TARGET_FILE:freshet_command>)
endif()

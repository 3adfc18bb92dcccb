# Read by ctest after the programs' tests: labels by the names of test suites. What they mean to ./test: script/stages.sh.
#   measures  needs valid trials on this machine, or drops its caches, or needs them kept; runs alone, and again where it fails
#   slow      a matrix of faults, properties, kills or file systems; ./test runs a sample of each
#   commands  end to end; sanitizers and the ordinary user run the first test of each command only
#   unwatched about what a kill leaves, other programs read or much arithmetic results in, which needs no sanitizer: they run
#             these in ./soak only
set(measures "^tool_command\\.(against|tune|bench_options)_command\\." "^lab_(bytes|sweep|writetest|peers)\\.[a-z]+_command\\."
  "^tool_trial\\.(all/own_disk_of|own_disk|quota|processors|cold_file)\\." "^lab_sweep\\.(trial_outputs|sweep_trial)\\." "^tool_command\\.on/measured_gate_command\\."
  "^tool_measure\\.cold\\.(has_no_caveat|and_warm_are_opposites)" "^lab_encrypt\\.encrypt_command\\.proves_a_cold_input" "^lab_campaign\\.dropped_caches\\.")
set(slow "^src\\.all/(file_systems|prefix|(reader|writer)_(transfer_)?fault|reader_queue|writer_queue_fault)\\." "^src\\.compression_property\\." "^src\\.drawn_traces\\." "^src_optimized\\."
  "^each_line\\.each_line_memory_test\\." "^tool_store\\.killed_writers\\." "^lab_campaign\\.by/killed_campaigns\\." "^lab_encrypt\\.all/encrypt_interrupted\\."
  "^lab_peers\\.bad_peer\\." "^tool_export\\.fio\\.")
set(unwatched "^src\\.(all/prefix\\.is_all_that_is_left_by_a_kill|replaced_and_killed|drawn_traces)" "^tool_store\\.killed_writers\\."
  "^lab_campaign\\.by/killed_campaigns\\." "^lab_encrypt\\.all/encrypt_interrupted\\.by_sigkill"
  "^tool_export\\.(fio|export_readers|hyperfine_readers|compare_py)\\." "^tool_search\\.calibration\\.")

set(first_of_its_suite "")
foreach(program IN ITEMS src src_optimized os each_line ${tool_programs})
  foreach(test IN LISTS ${program}_test_TESTS)
    set(labels "")
    foreach(label IN ITEMS measures slow unwatched)
      foreach(pattern IN LISTS ${label})
        if(test MATCHES "${pattern}")
          list(APPEND labels ${label})
        endif()
      endforeach()
    endforeach()
    if(test MATCHES "^((tool_command|lab_[a-z]+)\\.[a-z_]*command)\\.")
      list(FIND first_of_its_suite ${CMAKE_MATCH_1} at)  # ctest knows no IN_LIST
      if(at EQUAL -1)
        list(APPEND first_of_its_suite ${CMAKE_MATCH_1})
      else()
        list(APPEND labels commands)
      endif()
    endif()
    if(labels)
      set_tests_properties("${test}" PROPERTIES LABELS "${labels}")
    endif()
  endforeach()
endforeach()

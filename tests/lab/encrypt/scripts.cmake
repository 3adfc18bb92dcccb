# A sanitizer writes for purposes of its own, and would be what fails; valgrind and the sanitizers exclude each other.
if(NOT FRESHET_SANITIZE)
  freshet_script(encrypt_injection encrypt/injection_test.sh $<TARGET_FILE:freshet_command>)
  add_executable(line_cipher_work encrypt/line_cipher_work.cpp)
  target_link_libraries(line_cipher_work PRIVATE freshet_laboratory freshet_alone freshet_warnings)
  freshet_script(work_is_done encrypt/work_is_done_test.sh $<TARGET_FILE:line_cipher_work>)
endif()

# Boots virtual machines by tests/power_cuts/guest.py.
if(NOT FRESHET_SANITIZE AND EXISTS ${PROJECT_SOURCE_DIR}/tests/power_cuts/guest.py)
  freshet_script(campaign_boots campaign/boots_test.py $<TARGET_FILE:freshet_command>)
  set_tests_properties(campaign_boots PROPERTIES LABELS power TIMEOUT 21600)
endif()

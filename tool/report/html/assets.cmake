# The object library freshet_page embeds the files of the report's page in the program. The chart library comes from npm
# (script/setup fetches it); without it, the page is built without charts.
enable_language(ASM)

set(web ${CMAKE_CURRENT_SOURCE_DIR}/report/web)
set(echarts ${web}/node_modules/echarts)
# In the order in which the page's script contains them: declarations come before their use.
set(page_script_names text data table palette theme panel labels rates peers filesystems blocks cost latency speed sweep device timeline history
  answers environment filters address main)
set(page_html ${web}/page.html)
set(page_style ${web}/page.css)
list(TRANSFORM page_script_names PREPEND ${web}/page/ OUTPUT_VARIABLE page_script)
list(TRANSFORM page_script APPEND .js)
set(page_charts)
set(page_notice)
# When a file is added or removed, the folder's modification time makes CMake run again.
file(GLOB charts_found CONFIGURE_DEPENDS ${echarts}/dist/echarts.common.min.js ${echarts}/NOTICE)
list(LENGTH charts_found charts_count)
if(charts_count EQUAL 2)
  set(page_charts ${echarts}/dist/echarts.common.min.js)
  set(page_notice ${echarts}/NOTICE)
else()
  message(STATUS "Reports are made without charts: ${echarts} is missing; `npm ci` in ${web} fetches it")
endif()

set(assembly ".section .rodata\n")
foreach(part html style script charts notice)
  string(APPEND assembly ".global freshet_page_${part}\nfreshet_page_${part}:\n")
  foreach(file IN LISTS page_${part})
    string(APPEND assembly ".incbin \"${file}\"\n")
  endforeach()
  string(APPEND assembly ".global freshet_page_${part}_end\nfreshet_page_${part}_end:\n.byte 0\n")
endforeach()
string(APPEND assembly ".section .note.GNU-stack,\"\",%progbits\n")
file(CONFIGURE OUTPUT page_assets.S CONTENT "${assembly}" @ONLY)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/page_assets.S PROPERTIES
  OBJECT_DEPENDS "${page_html};${page_style};${page_script};${charts_found}")
add_library(freshet_page OBJECT ${CMAKE_CURRENT_BINARY_DIR}/page_assets.S)

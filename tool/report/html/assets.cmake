# The object library freshet_page embeds the files of the report's page in the program. The chart library comes from npm
# (script/setup fetches it); without it, the page is built without charts.
include(embed)

set(web ${CMAKE_CURRENT_SOURCE_DIR}/report/web)
set(echarts ${web}/node_modules/echarts)
# In the order in which the page's script contains them: declarations come before their use. The laboratory's part, or
# undrawn.js, stands between the two lists.
set(page_script_names text data table palette theme panel labels rates peers filesystems blocks cost latency speed)
set(page_later_script_names device timeline history answers environment filters address main)
set(page_html ${web}/page.html)
set(page_style ${web}/page.css)
set(page_undrawn ${web}/page/undrawn.js)
foreach(list page_script page_later_script)
  list(TRANSFORM ${list}_names PREPEND ${web}/page/ OUTPUT_VARIABLE ${list})
  list(TRANSFORM ${list} APPEND .js)
endforeach()
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

add_embedded_files(freshet_page page_html page_style page_script page_undrawn page_later_script page_charts page_notice)

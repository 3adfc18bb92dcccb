# Run when cpack installs a component for the package ${package}: the documents that Debian asks of each, and manual pages
# compressed.
cmake_minimum_required(VERSION 3.22)
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(documents ${root}/share/doc/${package})

function(compress from to)
  execute_process(COMMAND gzip -9nc ${from} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${to} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

file(MAKE_DIRECTORY ${documents})
file(COPY ${source}/packaging/debian/copyright DESTINATION ${documents}
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
compress(${source}/packaging/debian/changelog ${documents}/changelog.Debian.gz)
compress(${source}/CHANGELOG.md ${documents}/changelog.gz)

file(GLOB_RECURSE manuals ${root}/share/man/*.[1-9])
foreach(manual IN LISTS manuals)
  compress(${manual} ${manual}.gz)
  file(REMOVE ${manual})
endforeach()

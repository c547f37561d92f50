# SPDX-License-Identifier: BSD-3-Clause
# find_package(hmsim) defines the target hmsim::hmsim. `hmsim library --cmake` prints the folder of
# this file. The header and the library are beside it in a wheel, and in include/ and lib/ of an
# installation.
if(TARGET hmsim::hmsim)
  return()
endif()
set(_hmsim_include "${CMAKE_CURRENT_LIST_DIR}")
set(_hmsim_lib "${CMAKE_CURRENT_LIST_DIR}")
if(NOT EXISTS "${_hmsim_include}/hmsim.h")
  get_filename_component(_hmsim_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  get_filename_component(_hmsim_include "${_hmsim_lib}/../include" ABSOLUTE)
endif()
file(STRINGS "${_hmsim_include}/hmsim.h" _hmsim_abi REGEX "^#define HMSIM_ABI [0-9]+$")
string(REGEX REPLACE "^#define HMSIM_ABI " "" _hmsim_abi "${_hmsim_abi}")
add_library(hmsim::hmsim SHARED IMPORTED)
set_target_properties(hmsim::hmsim PROPERTIES
  IMPORTED_LOCATION "${_hmsim_lib}/libhmsim.so.${_hmsim_abi}"
  INTERFACE_INCLUDE_DIRECTORIES "${_hmsim_include}")
unset(_hmsim_abi)
unset(_hmsim_include)
unset(_hmsim_lib)

// SPDX-License-Identifier: BSD-3-Clause
// Parts of the module hmsim._core.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_clones(pybind11::module_& module);    // making workload clones
void bind_dram(pybind11::module_& module);      // comparing DRAM models
void bind_policies(pybind11::module_& module);  // descriptions of policies
void bind_traces(pybind11::module_& module);    // reading traces

}  // namespace hmsim

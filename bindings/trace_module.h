// SPDX-License-Identifier: BSD-3-Clause
// The part of the module that reads traces.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_traces(pybind11::module_& module);

}  // namespace hmsim

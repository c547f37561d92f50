// SPDX-License-Identifier: BSD-3-Clause
// Bindings for reading traces.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_traces(pybind11::module_& module);

}  // namespace hmsim

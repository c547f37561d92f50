// SPDX-License-Identifier: BSD-3-Clause
// Bindings for making workload clones.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_clones(pybind11::module_& module);

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Bindings for comparing DRAM models.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_dram(pybind11::module_& module);

}  // namespace hmsim

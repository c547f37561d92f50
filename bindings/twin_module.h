// SPDX-License-Identifier: BSD-3-Clause
// What the module offers for statistical twins.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_twins(pybind11::module_& module);

}  // namespace hmsim

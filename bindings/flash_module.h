// SPDX-License-Identifier: BSD-3-Clause
// Bindings for stand-alone flash arrays.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_flash(pybind11::module_& module);

}  // namespace hmsim

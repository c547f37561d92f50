// SPDX-License-Identifier: BSD-3-Clause
// Bindings for Start-Gap: the locations of its lines.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_media(pybind11::module_& module);

}  // namespace hmsim

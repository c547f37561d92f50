// SPDX-License-Identifier: BSD-3-Clause
// Python's view of Start-Gap: where its lines are.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_media(pybind11::module_& module);

}  // namespace hmsim

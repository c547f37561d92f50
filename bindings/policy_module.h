// SPDX-License-Identifier: BSD-3-Clause
// Bindings that describe policies and run schedulers without a channel.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_policies(pybind11::module_& module);

}  // namespace hmsim

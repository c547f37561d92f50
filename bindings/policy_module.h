// SPDX-License-Identifier: BSD-3-Clause
// The part of the module that describes policies, and lets schedulers be tried without a channel.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_policies(pybind11::module_& module);

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// What the module tells of policies, and schedulers to try without a channel.
#pragma once

#include <pybind11/pybind11.h>

namespace hmsim {

void bind_policies(pybind11::module_& module);

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Policies written in Python: adapters from subclasses of hmsim.TransactionScheduler and
// hmsim.BusArbiter (python/hmsim/config/policies.py) to the interfaces of policies/policy.h.
#pragma once

#include <pybind11/pybind11.h>

#include "policies/policy.h"

namespace hmsim {

// Binds the classes of the views that these policies receive.
void bind_policy_views(pybind11::module_& module);

// Returns makers from a dictionary that maps a parameter's name (controller.scheduler, ...) to a
// callable that returns a new policy.
PolicyMakers python_policy_makers(const pybind11::dict& callables);

}  // namespace hmsim

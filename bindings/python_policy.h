// SPDX-License-Identifier: BSD-3-Clause
// Policies written in Python: subclasses of hmsim.TransactionScheduler and hmsim.BusArbiter
// (python/hmsim/config/policies.py) behind the interfaces of policies/policy.h.
#pragma once

#include <pybind11/pybind11.h>

#include "policies/policy.h"

namespace hmsim {

// The classes of what these policies see.
void bind_policy_views(pybind11::module_& module);

// Makers out of a dictionary from a parameter's name (controller.scheduler, ...) to a callable that
// returns a new policy.
PolicyMakers python_policy_makers(const pybind11::dict& callables);

}  // namespace hmsim

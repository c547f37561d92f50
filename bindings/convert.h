// SPDX-License-Identifier: BSD-3-Clause
// Records of the core as Python dictionaries, with the same names.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"

namespace hmsim {

pybind11::list to_python(const std::vector<ParameterInfo>& parameters);
pybind11::list to_python(const std::vector<Statistic>& statistics);

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Records of the core as Python dictionaries, with the same names.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "core/parameters.h"
#include "core/statistics.h"
#include "simulation/command_log.h"
#include "simulation/io_log.h"
#include "simulation/request_log.h"
#include "simulation/series.h"
#include "simulation/thread_log.h"

namespace hmsim {

pybind11::list to_python(const std::vector<ParameterInfo>& parameters);
pybind11::list to_python(const std::vector<Statistic>& statistics);
// interval_ps; columns as to_python(columns), without values; times_ps: int64, one for each row;
// values: float64, row by row.
pybind11::object to_python(const Series& series, const std::vector<Statistic>& columns);
// An int64 array by the name of each column.
pybind11::object to_python(const RequestLog::Columns& requests);
pybind11::object to_python(const IoLog::Columns& requests);
// {"commands": columns by name, "modules": likewise}: all rows, taken away.
pybind11::object take(CommandLog& log);
// (columns by name, what the numbers of `name` mean): all rows, taken away.
pybind11::object take(ThreadLog& log);

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Conversion of core records to Python dictionaries with the same names.
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
// Returns a dictionary: interval_ps; columns, as to_python(columns) without values; times_ps, an
// int64 per row; values, float64, row by row.
pybind11::object to_python(const Series& series, const std::vector<Statistic>& columns);
// take() removes all rows from a log. Returns an int64 array for each column, by name. Without a
// log, the arrays of requests are empty, and the others None.
pybind11::object take(RequestLog* log);
pybind11::object take(IoLog* log);
// Returns {"commands": columns by name, "modules": columns by name}.
pybind11::object take(CommandLog* log);
// Returns (columns by name, meaning of the numbers in `name`).
pybind11::object take(ThreadLog* log);

}  // namespace hmsim

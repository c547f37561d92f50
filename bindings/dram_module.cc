// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <vector>

#include "bindings/convert.h"
#include "bindings/modules.h"
#include "controller/channel/dram_backend.h"
#include "controller/config/backend_check.h"
#include "simulation/dram_trace.h"

namespace py = pybind11;

namespace hmsim {

namespace {

constexpr py::ssize_t kColumns = 6;  // cycle, command, rank, bank, row, request

py::array_t<std::int64_t> to_array(const std::vector<CommandRecord>& records) {
  py::array_t<std::int64_t> table({static_cast<py::ssize_t>(records.size()), kColumns});
  std::int64_t* cell = table.mutable_data();
  for (const CommandRecord& record : records) {
    *cell++ = record.cycle.value();
    *cell++ = static_cast<std::int64_t>(record.command);
    *cell++ = record.rank;
    *cell++ = record.bank;
    *cell++ = record.row;
    *cell++ = record.request;
  }
  return table;
}

py::dict run(const Assignments& config, const DramTrace& trace, bool commands) {
  DramTraceResult result;
  {
    const py::gil_scoped_release released;
    result = run_dram_trace(config, trace, commands);
  }
  py::dict answer;
  answer["cycles"] = result.cycles.value();
  answer["commands"] = to_array(result.commands);
  answer["statistics"] = to_python(result.statistics);
  return answer;
}

}  // namespace

void bind_dram(py::module_& module) {
  using Numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  using Flags = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
  module.def("dram_backends", [] {
    py::dict backends;
    for (const DramBackend& backend : kDramBackends) {
      backends[backend.name] = is_built_in(backend.name);
    }
    return backends;
  });
  module.def(
      "run_dram_trace",
      [](const Assignments& config, const Numbers& addresses, const Flags& writes,
         const Numbers& cycles, bool commands) {
        const DramTrace trace{{addresses.data(), addresses.data() + addresses.size()},
                              {writes.data(), writes.data() + writes.size()},
                              {cycles.data(), cycles.data() + cycles.size()}};
        return run(config, trace, commands);
      },
      py::arg("config"), py::arg("addresses"), py::arg("writes"), py::arg("cycles"),
      py::arg("commands"));
}

}  // namespace hmsim

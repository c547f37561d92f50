// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/flash_module.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/errors.h"
#include "simulation/configuration.h"
#include "simulation/rigs/flash_bench.h"

namespace py = pybind11;

namespace hmsim {

namespace {

constexpr std::array<const char*, 3> kOperations{"read", "program", "erase"};
constexpr std::array<const char*, 8> kStages{"command", "cells",    "done",   "suspend",
                                             "resume",  "data_out", "status", "fail"};

using TaskTuple =
    std::tuple<std::int64_t, std::string, std::uint32_t, std::uint32_t, std::uint32_t, PartMask>;

FlashTask task_of(const TaskTuple& tuple) {
  const auto& [at, operation, lun, superblock, page, parts] = tuple;
  const auto* const found = std::find(kOperations.begin(), kOperations.end(), operation);
  if (found == kOperations.end()) {
    throw InputError("'" + operation + "' is not one of read, program, erase");
  }
  FlashTask task;
  task.at = Tick(at);
  task.operation = static_cast<FlashOperation>(found - kOperations.begin());
  task.lun = lun;
  task.superblock = superblock;
  task.page = page;
  task.parts = parts;
  return task;
}

py::tuple run(const Assignments& assignments, const std::vector<TaskTuple>& tuples) {
  const Configuration configuration(assignments);
  configuration.throw_if_wrong();
  std::vector<FlashTask> tasks;
  for (const TaskTuple& tuple : tuples) {
    tasks.push_back(task_of(tuple));
  }
  FlashBench bench(configuration.system().nvdimm);
  py::list done;
  for (const Tick time : bench.run(tasks)) {
    done.append(time.value());
  }
  py::list log;
  for (const FlashRecord& record : bench.log()) {
    log.append(py::make_tuple(record.start.value(), record.end.value(),
                              kStages[static_cast<std::size_t>(record.stage)],
                              kOperations[static_cast<std::size_t>(record.operation)], record.lun,
                              record.block, record.page));
  }
  return py::make_tuple(done, log);
}

}  // namespace

void bind_flash(py::module_& module) {
  module.def("run_flash", &run, py::arg("config"), py::arg("tasks"));
}

}  // namespace hmsim

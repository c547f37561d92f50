// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/policy_module.h"

#include <pybind11/stl.h>

#include <string>

#include "bindings/convert.h"
#include "policies/base/rehearsal.h"
#include "policies/policy.h"

namespace py = pybind11;

namespace hmsim {

namespace {

py::list policies() {
  py::list list;
  for (std::size_t i = 0; i < kPolicyTableSize; ++i) {
    const PolicyDescriptor& descriptor = *kPolicyTable[i];
    const std::unique_ptr<Policy> policy = descriptor.make();
    ParameterSet parameters;
    {
      const ParameterSet::Scope scope(parameters, std::string("policies.") + descriptor.name);
      policy->declare(parameters);
    }
    py::dict entry;
    entry["kind"] = name_of(descriptor.kind);
    entry["name"] = descriptor.name;
    entry["doc"] = descriptor.doc;
    entry["source"] = descriptor.source;
    entry["parameters"] = to_python(parameters.describe());
    list.append(std::move(entry));
  }
  return list;
}

std::uint32_t enqueue(Rehearsal& self, std::uint16_t core, int bank, std::int64_t row, bool nvdimm,
                      bool write, bool row_hit, std::uint64_t epoch) {
  RequestView request{};
  request.memory = nvdimm ? MemoryClass::nvdimm : MemoryClass::dram;
  request.source = core;
  request.bank = bank;
  request.row = row;
  request.write = write;
  request.row_hit = row_hit;
  request.epoch = epoch;
  return self.enqueue(request);
}

}  // namespace

void bind_policies(py::module_& module) {
  module.def("policies", &policies);
  py::class_<Rehearsal>(module, "Rehearsal")
      .def(py::init([](const std::string& scheduler, const Assignments& assignments,
                       std::int64_t rank_switch) {
             return std::make_unique<Rehearsal>(scheduler, assignments,
                                                Rehearsal::ddr3_1600(rank_switch));
           }),
           py::arg("scheduler"), py::arg("assignments"), py::arg("rank_switch"))
      .def("enqueue", &enqueue, py::arg("core"), py::arg("bank"), py::arg("row"),
           py::arg("nvdimm") = false, py::arg("write") = false, py::arg("row_hit") = false,
           py::arg("epoch") = 0)
      .def("command", &Rehearsal::command, py::arg("number"))
      .def("ack", &Rehearsal::ack, py::arg("number"))
      .def("issue", &Rehearsal::issue, py::arg("number"), py::arg("row_hit"))
      .def("complete", &Rehearsal::complete, py::arg("number"))
      .def(
          "run_to", [](Rehearsal& self, std::int64_t ps) { self.run_to(Tick(ps)); }, py::arg("ps"))
      .def("retire", &Rehearsal::retire, py::arg("core"), py::arg("instructions"))
      .def("withholds", &Rehearsal::withholds, py::arg("number"))
      .def("key", &Rehearsal::key, py::arg("number"))
      .def("order", &Rehearsal::order);
}

}  // namespace hmsim

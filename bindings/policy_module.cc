// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/policy_module.h"

#include <pybind11/stl.h>

#include <string>

#include "bindings/convert.h"
#include "policies/gc_scheduler.h"
#include "policies/policy.h"
#include "policies/policy_library.h"
#include "policies/registry/policy_catalog.h"
#include "simulation/rigs/arbiter_rehearsal.h"
#include "simulation/rigs/rehearsal.h"

namespace py = pybind11;

namespace hmsim {

namespace {

py::list policies() {
  py::list list;
  for (const PolicyDescriptor* descriptor : PolicyCatalog::instance().policies()) {
    const std::unique_ptr<Policy> policy = descriptor->make();
    ParameterSet parameters;
    {
      const ParameterSet::Scope scope(parameters, std::string("policies.") + descriptor->name);
      policy->declare(parameters);
    }
    py::dict entry;
    entry["kind"] = name_of(descriptor->kind);
    entry["name"] = descriptor->name;
    entry["doc"] = descriptor->doc;
    entry["source"] = descriptor->source;
    entry["parameters"] = to_python(parameters.describe());
    if (descriptor->kind == PolicyKind::transaction_scheduler) {
      entry["sets_direction"] = static_cast<TransactionScheduler&>(*policy).sets_direction();
    }
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

const char* choose(ArbiterRehearsal& self, int dram_pending, int nvdimm_pending,
                   std::int64_t dram_arrival, std::int64_t nvdimm_arrival) {
  const MemoryClass winner =
      self.choose(dram_pending, nvdimm_pending, Tick(dram_arrival), Tick(nvdimm_arrival));
  return winner == MemoryClass::dram ? "dram" : "nvdimm";
}

// Converts the pending work at `place` (the LUN, its channel, or all): pages to read into ready
// frames, and pages to program.
PendingFlash pending(const py::dict& fields, const char* place) {
  PendingFlash work;
  const auto [reads, writes] = fields[place].cast<std::pair<std::uint32_t, std::uint32_t>>();
  work.read_pages = reads;
  work.fetchable = reads;
  work.writes = writes;
  return work;
}

// Returns the two decisions of a GC scheduler, copy() and erase(). The flash is the table3 preset
// at 200 MT/s, on 4 channels of 2 LUNs.
py::tuple gc_step(const std::string& scheduler, const Assignments& assignments,
                  const py::dict& fields) {
  const auto policy = create_policy(PolicyKind::gc_scheduler, scheduler, assignments);
  auto& gc = static_cast<GcScheduler&>(*policy);
  const GcTimes times{50 * kMicrosecond,    650 * kMicrosecond,   2'000 * kMicrosecond,
                      20'480 * kNanosecond, 41'560 * kNanosecond, 5 * kNanosecond};
  GcView view;
  view.buffered = fields["buffered"].cast<std::uint32_t>();
  view.lun = pending(fields, "lun");
  view.channel = pending(fields, "channel");
  view.all = pending(fields, "all");
  view.channels = 4;
  view.luns = 8;
  view.times = &times;
  const GcErase erase = gc.erase(view);
  return py::make_tuple(gc.copy(view), erase.now ? py::object(py::none()) : py::int_(erase.reads));
}

}  // namespace

void bind_policies(py::module_& module) {
  module.def("policies", &policies);
  module.def("policy_libraries", [] { return PolicyCatalog::instance().libraries(); });
  module.attr("policy_interface") = kPolicyInterface;
  module.def("gc_step", &gc_step, py::arg("scheduler"), py::arg("assignments"), py::arg("view"));
  py::class_<ArbiterRehearsal>(module, "ArbiterRehearsal")
      .def(py::init<const std::string&, const Assignments&>(), py::arg("arbiter"),
           py::arg("assignments"))
      .def("choose", &choose, py::arg("dram_pending"), py::arg("nvdimm_pending"),
           py::arg("dram_arrival") = 0, py::arg("nvdimm_arrival") = 0);
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

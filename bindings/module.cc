// SPDX-License-Identifier: BSD-3-Clause
// The Python module hmsim._core, described by python/hmsim/_core.pyi.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/random_streams.h"
#include "bindings/convert.h"
#include "bindings/modules.h"
#include "bindings/python_policy.h"
#include "controller/preconditioned.h"
#include "core/errors.h"
#include "core/units.h"
#include "nvdimm/hbf/hbf_status.h"
#include "nvdimm/precondition.h"
#include "simulation/configuration.h"
#include "simulation/simulation.h"

namespace py = pybind11;

namespace hmsim {

namespace {

// Releases a Python object from any thread.
void release(py::bytes* bytes) {
  const py::gil_scoped_acquire locked;
  delete bytes;
}

// Calls Python for trace data, from whichever thread runs the simulation. Copies share the
// callable; only the last copy, destroyed with the Simulation, changes its reference count.
TraceSource trace_source(py::function callable) {
  auto shared = std::make_shared<py::function>(std::move(callable));
  return [shared](std::size_t agent, std::uint64_t offset) -> TraceBlock {
    const py::gil_scoped_acquire locked;
    const std::shared_ptr<py::bytes> bytes(new py::bytes((*shared)(agent, offset)), release);
    return {bytes, std::string_view(*bytes)};
  };
}

std::vector<std::pair<std::string, std::string>> to_pairs(
    const std::vector<ParameterError>& errors) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const ParameterError& error : errors) {
    pairs.emplace_back(error.name, error.message);
  }
  return pairs;
}

// Translates exceptions as pybind11 does, but escapes bytes of a message that are not UTF-8 (from a
// damaged file).
template <class E>
void register_exception(py::module_& module, const char* name, PyObject* base) {
  static const py::handle kType = py::exception<E>(module, name, base).release();
  kType.attr("__module__") = "hmsim";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) {
        std::rethrow_exception(std::move(thrown));
      }
    } catch (const E& error) {
      const std::string_view message = error.what();
      PyObject* const text = PyUnicode_DecodeUTF8(
          message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
      PyErr_SetObject(kType.ptr(), text);
      Py_XDECREF(text);
    }
  });
}

template <class T>
T value_or_raise(const Parsed<T>& parsed) {
  if (!parsed.value) {
    throw InputError(parsed.error);
  }
  return *parsed.value;
}

// Measures write amplification on one LUN with one open block for all pages, or two with a
// placement policy other than single. `over_provisioning` is in percent.
double amplification(const std::string& victim, const Assignments& assignments,
                     std::uint32_t blocks, std::uint32_t pages, std::uint32_t over_provisioning,
                     double settle, double measure, std::uint64_t seed, std::uint32_t parts,
                     const std::string& partial_writes, const std::string& placement,
                     std::uint64_t hot_pages, std::uint64_t hot_writes) {
  if (blocks < kFewestBlocks || pages < 2 || over_provisioning == 0) {
    throw InputError("too few blocks, pages or spare pages");
  }
  if (hot_pages >= 100 || hot_writes > 100) {
    throw InputError("hot_pages must be below 100, hot_writes at most 100");
  }
  if (parts != 1 && parts != 2 && parts != kMostParts) {
    throw InputError(std::to_string(parts) + " parts of a flash page: must be 1, 2 or 4");
  }
  if (partial_writes != "combine" && partial_writes != "pad" && partial_writes != "merge") {
    throw InputError("'" + partial_writes + "' is not one of combine, pad, merge");
  }
  constexpr std::uint64_t kPercent = 100;
  FtlShape shape;
  shape.blocks = blocks;
  shape.part_bits = parts / 2;
  shape.pages = pages * parts;
  shape.combine = partial_writes == "combine";
  shape.merge = partial_writes == "merge" && parts > 1;
  shape.logical_pages = std::uint64_t{blocks} * shape.pages * kPercent /
                        (kPercent + over_provisioning) / parts * parts;
  shape.shared_frontier = true;
  shape.stripe = {0};
  shape.streams = placement == "single" ? 1 : 2;
  if (shape.logical_pages > shape.valid_limit()) {
    throw InputError("too few spare pages");
  }
  return untimed_amplification(
      shape, victim, assignments,
      {settle, measure, PreconditionPattern::uniform, seed, hot_pages, hot_writes},
      page_placement(placement, assignments));
}

// Properties of a log of the simulation, and its rows; 0, false and what take() says without it.
template <auto kLog>
std::size_t rows(Simulation& self) {
  const auto* const log = (self.*kLog)();
  return log == nullptr ? 0 : log->rows();
}
template <auto kLog>
bool full(Simulation& self) {
  const auto* const log = (self.*kLog)();
  return log != nullptr && log->full();
}
template <auto kLog>
py::object taken(Simulation& self) {
  return take((self.*kLog)());
}

void bind_simulation(py::module_& module) {
  using Release = py::call_guard<py::gil_scoped_release>;
  py::class_<Simulation>(module, "Simulation")
      .def(py::init([](const Assignments& config, const std::vector<Assignments>& agents,
                       std::uint64_t seed, std::int64_t warmup_ps, std::int64_t warmup_instructions,
                       py::function source, const std::vector<std::uint64_t>& trace_bytes,
                       bool check, bool log_requests, std::int64_t log_commands,
                       const py::dict& policies,
                       const std::function<void(double)>& preconditioning) {
             const RunOptions options{seed,
                                      Tick(warmup_ps),
                                      warmup_instructions,
                                      trace_bytes,
                                      check,
                                      log_requests,
                                      log_commands,
                                      python_policy_makers(policies),
                                      preconditioning};
             return std::make_unique<Simulation>(config, agents, options,
                                                 trace_source(std::move(source)));
           }),
           py::arg("config"), py::arg("agents"), py::arg("seed"), py::arg("warmup_ps"),
           py::arg("warmup_instructions"), py::arg("source"), py::arg("trace_bytes"),
           py::arg("check") = false, py::arg("log_requests") = false, py::arg("log_commands") = 0,
           py::arg("policies") = py::dict(), py::arg("preconditioning") = py::none())
      .def("run", &Simulation::run, py::arg("steps"), Release())
      .def(
          "advance",
          [](Simulation& self, std::optional<std::int64_t> until, std::uint64_t steps,
             bool to_receipt) {
            return self.advance(until ? Tick(*until) : kNever, steps, to_receipt);
          },
          py::arg("until_ps"), py::arg("steps"), py::arg("to_receipt") = false, Release())
      .def("take_warnings", &Simulation::take_warnings)
      .def("progress", &Simulation::progress)
      .def_property_readonly("now", [](const Simulation& self) { return self.now().value(); })
      .def_property_readonly("checked_commands", &Simulation::checked_commands)
      .def_property_readonly("logged_requests", &rows<&Simulation::request_log>)
      .def("take_requests", &taken<&Simulation::request_log>)
      .def_property_readonly("logged_io", &rows<&Simulation::io_log>)
      .def("take_io", &taken<&Simulation::io_log>)
      .def_property_readonly("logged_commands", &rows<&Simulation::command_log>)
      .def_property_readonly("command_log_full", &full<&Simulation::command_log>)
      .def("take_commands", &taken<&Simulation::command_log>)
      .def_property_readonly("logged_threads", &rows<&Simulation::thread_log>)
      .def_property_readonly("thread_log_full", &full<&Simulation::thread_log>)
      .def("end_thread_log",
           [](Simulation& self) {
             if (self.thread_log()) {
               self.thread_log()->end(self.now());
             }
           })
      .def("take_threads", &taken<&Simulation::thread_log>)
      .def("statistics", [](const Simulation& self) { return to_python(self.statistics()); })
      .def("series",
           [](const Simulation& self) -> py::object {
             return self.series() == nullptr ? py::none()
                                             : to_python(*self.series(), self.series_columns());
           })
      .def(
          "enqueue",
          [](Simulation& self, std::int64_t address, std::int64_t size, bool write,
             std::uint16_t source, const std::optional<py::bytes>& data) {
            return self.enqueue(Address(address), size, write, source, data);
          },
          py::arg("address"), py::arg("size"), py::arg("write"), py::arg("source"), py::arg("data"))
      .def(
          "submit",
          [](Simulation& self, std::uint8_t target, std::uint8_t kind, std::uint64_t address,
             std::uint64_t size, std::uint16_t source, std::uint16_t stream,
             const std::vector<std::uint64_t>& after, std::optional<std::int64_t> at) {
            const SessionRequest request{0,
                                         address,
                                         size,
                                         static_cast<SessionTarget>(target),
                                         static_cast<SessionRequest::Kind>(kind),
                                         source,
                                         stream};
            return self.submit(request, after, at ? std::optional(Tick(*at)) : std::nullopt);
          },
          py::arg("target"), py::arg("kind"), py::arg("address"), py::arg("size"),
          py::arg("source"), py::arg("stream"), py::arg("after"), py::arg("at_ps"))
      .def("submitted", [](Simulation& self) { return self.session().under_way(); })
      .def(
          "capacity",
          [](Simulation& self, std::uint8_t target) {
            return self.session().capacity(static_cast<SessionTarget>(target)).value();
          },
          py::arg("target"))
      .def("take_receipts",
           [](Simulation& self) {
             py::list list;
             for (const Receipt& each : self.session().take_receipts()) {
               py::list parts;
               for (const Tick part : each.parts) {
                 parts.append(part.value());
               }
               list.append(py::make_tuple(each.id, each.submitted.value(), each.ended.value(),
                                          kHbfStatusNames[each.status], py::tuple(parts)));
             }
             return list;
           })
      .def(
          "flush", [](Simulation& self, std::uint16_t source) { return self.flush(source); },
          py::arg("source"))
      .def(
          "peek",
          [](const Simulation& self, std::int64_t address, std::int64_t size) {
            return py::bytes(self.peek(Address(address), size));
          },
          py::arg("address"), py::arg("size"))
      .def(
          "trim",
          [](Simulation& self, std::int64_t address, std::int64_t size) {
            return self.trim(Address(address), Bytes(size));
          },
          py::arg("address"), py::arg("size"))
      .def(
          "power_fail",
          [](Simulation& self, std::int64_t save_for, std::optional<std::size_t> nvdimm) {
            self.power_fail(Tick(save_for), nvdimm);
          },
          py::arg("save_for_ps"), py::arg("nvdimm"), Release())
      .def(
          "power_on",
          [](Simulation& self, std::int64_t recover_for) {
            return self.power_on(Tick(recover_for));
          },
          py::arg("recover_for_ps"), Release())
      .def("take_completions",
           [](Simulation& self) {
             py::list list;
             for (const Completion& completion : self.take_completions()) {
               const py::object data =
                   completion.data ? py::object(py::bytes(*completion.data)) : py::none();
               list.append(py::make_tuple(completion.id, completion.arrival.value(),
                                          completion.finish.value(), data,
                                          kHbfStatusNames[completion.status]));
             }
             return list;
           })
      .def("preconditioned", [](Simulation& self) { return py::bytes(self.preconditioned()); })
      .def("save", [](Simulation& self) { return py::bytes(self.save()); })
      .def(
          "load",
          [](Simulation& self, const py::bytes& checkpoint, const std::string& file) {
            self.load(static_cast<std::string>(checkpoint), file);
          },
          py::arg("checkpoint"), py::arg("file"))
      .def_static(
          "check", [](const Assignments& config) { return to_pairs(Simulation::check(config)); },
          py::arg("config"))
      .def_static(
          "check_agent",
          [](const Assignments& config, const Assignments& agent) {
            return to_pairs(Simulation::check_agent(config, agent));
          },
          py::arg("config"), py::arg("agent"))
      .def_static("resolve", &Simulation::resolve, py::arg("config"))
      .def_static(
          "capacities",
          [](const Assignments& config) {
            const Configuration configuration(config);
            configuration.throw_if_wrong();
            return std::make_pair(configuration.system().dram_capacity().value(),
                                  configuration.system().nvdimm_capacity().value());
          },
          py::arg("config"))
      .def_static(
          "preconditioning",
          [](const Assignments& config, std::uint64_t seed) {
            const Configuration configuration(config);
            configuration.throw_if_wrong();
            const SystemConfig& system = configuration.system();
            return std::make_pair(preconditioned_pages(system), preconditioned_shape(system, seed));
          },
          py::arg("config"), py::arg("seed"))
      .def_static("parameters", [] { return to_python(Simulation::parameters()); })
      .def_static("agent_kinds", &Simulation::agent_kinds)
      .def_static("random_streams", &random_streams, py::arg("agents"))
      .def_static(
          "agent_parameters",
          [](const std::string& kind) { return to_python(Simulation::agent_parameters(kind)); },
          py::arg("kind"));
}

}  // namespace

}  // namespace hmsim

PYBIND11_MODULE(_core, module) {
  using namespace hmsim;
  module.doc() = "The C++ core of hmsim.";
  module.attr("version") = HMSIM_VERSION;
  register_exception<InputError>(module, "InputError", PyExc_ValueError);
  register_exception<Fault>(module, "SimulatorFault", PyExc_RuntimeError);
  register_exception<OutOfMemory>(module, "OutOfMemory", PyExc_MemoryError);
  bind_policy_views(module);
  bind_simulation(module);
  bind_dram(module);
  bind_traces(module);
  bind_clones(module);
  bind_policies(module);
  module.def("untimed_amplification", &amplification, py::arg("victim"), py::arg("assignments"),
             py::arg("blocks"), py::arg("pages"), py::arg("over_provisioning"), py::arg("settle"),
             py::arg("measure"), py::arg("seed"), py::arg("parts") = 1,
             py::arg("partial_writes") = "combine", py::arg("placement") = "single",
             py::arg("hot_pages") = 0, py::arg("hot_writes") = 0,
             py::call_guard<py::gil_scoped_release>());
  module.def("nearest_name", &nearest_name, py::arg("name"), py::arg("candidates"));
  module.def(
      "parse_integer", [](const std::string& text) { return value_or_raise(parse_integer(text)); },
      py::arg("text"));
  module.def(
      "parse_time",
      [](const std::string& text) { return value_or_raise(parse_time(text)).value(); },
      py::arg("text"));
  module.def(
      "format_time", [](std::int64_t ps) { return format_time(Tick(ps)); }, py::arg("ps"));
}

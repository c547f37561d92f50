// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/trace_module.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "frontend/trace_records.h"

namespace py = pybind11;

namespace hmsim {

void bind_traces(py::module_& module) {
  py::class_<TraceRecords>(module, "TraceRecords")
      .def(py::init([](const std::string& format, const std::string& file, py::function source) {
             const auto bytes = [source = std::move(source)](std::size_t, std::uint64_t offset) {
               return std::string(py::bytes(source(offset)));
             };
             auto records = open_records(format, TraceReader(bytes, 0, file, 0));
             if (records == nullptr) {
               throw InputError("no reader for the format '" + format + "'");
             }
             return records;
           }),
           py::arg("format"), py::arg("file"), py::arg("source"))
      .def(
          "read",
          [](TraceRecords& self, std::size_t count) {
            std::vector<TraceRecord> records;
            while (records.size() < count && self.next(records)) {
            }
            py::list list(records.size());
            for (std::size_t i = 0; i < records.size(); ++i) {
              const TraceRecord& record = records[i];
              list[i] = py::make_tuple(record.time, record.address, record.write, record.bytes,
                                       record.device);
            }
            return list;
          },
          py::arg("count"));
}

}  // namespace hmsim

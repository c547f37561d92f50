// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/trace_keys.h"
#include "bindings/modules.h"
#include "core/errors.h"
#include "core/parameters.h"
#include "traces/cause_index.h"
#include "traces/column_guess.h"
#include "traces/inferred_order.h"
#include "traces/record_columns.h"
#include "traces/trace_formats.h"
#include "traces/trace_records.h"
#include "traces/trace_summary.h"

namespace py = pybind11;
using namespace pybind11::literals;

namespace hmsim {

namespace {

// Decodes little-endian words of 8 bytes.
std::vector<std::uint64_t> words_of(const std::string& bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0) {
    throw InputError("records have 8 bytes each, not " + std::to_string(bytes.size()) +
                     " together");
  }
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * (i % 8));
  }
  return words;
}

py::tuple pack(const py::bytes& records) {
  const std::vector<std::uint64_t> words = words_of(records);
  std::array<std::uint64_t, kRecordVcpus> instructions{};
  unsigned vcpus = 0;
  for (const std::uint64_t word : words) {
    instructions[record_vcpu(word)] += record_instructions(word);
    vcpus = std::max(vcpus, record_vcpu(word) + 1);
  }
  return py::make_tuple(py::bytes(pack_records(words)), instructions, vcpus);
}

py::bytes unpack(const py::bytes& columns) {
  std::vector<std::uint64_t> words;
  unpack_records(std::string_view(columns), words);
  std::string bytes;
  bytes.reserve(words.size() * sizeof(std::uint64_t));
  for (const std::uint64_t word : words) {
    for (int i = 0; i < 8; ++i) {
      bytes += static_cast<char>(word >> (8 * i));
    }
  }
  return bytes;
}

// Returns the source of one trace's bytes, by offset.
TraceSource bytes_from(py::function source) {
  return [source = std::move(source)](std::size_t, std::uint64_t offset) {
    return std::string(py::bytes(source(offset)));
  };
}

py::dict describe(const TraceSummary::Memory& memory) {
  const auto runs = [](const RunCounts& counts) {
    return py::dict("accesses"_a = counts.accesses, "bytes"_a = counts.bytes,
                    "lines"_a = counts.lines, "sequential"_a = counts.sequential,
                    "page_runs"_a = counts.page_runs, "row_runs"_a = counts.row_runs);
  };
  const PageVisits& visits = memory.visits;
  return py::dict("reads"_a = runs(memory.runs[0]), "writes"_a = runs(memory.runs[1]),
                  "pages"_a = visits.pages().count(), "pages_exact"_a = visits.pages().exact(),
                  "visits"_a = visits.visits(), "visit_lines"_a = visits.lines(),
                  "bucket"_a = memory.intensity.length(), "buckets"_a = memory.intensity.buckets());
}

// Adds up to `count` records to the summary. Returns false at the end of the trace.
bool add(TraceSummary& summary, TraceRecords& records, std::size_t count) {
  std::vector<TraceRecord> batch;
  for (std::size_t i = 0; i < count; ++i) {
    if (!records.next(batch)) {
      return false;
    }
    for (const TraceRecord& record : batch) {
      summary.add(record);
    }
    batch.clear();
  }
  return true;
}

// Infers dependences. Takes requests as (arrival, completion or None) in nanoseconds, in order of
// arrival. Returns (parents, think time in nanoseconds) for each.
std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> infer(
    const std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>>& requests) {
  InferredOrder order;
  std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> causes;
  causes.reserve(requests.size());
  for (const auto& [arrival, completion] : requests) {
    BlockRequest request;
    request.arrival_ns = arrival;
    request.completion_ns = completion;
    RequestCause cause = order.next(request);
    causes.emplace_back(std::move(cause.parents), cause.think_ns);
  }
  return causes;
}

// Parses options by name as given by the user: "columns.time", "levels". Throws InputError.
TraceOptions options_of(const FormatDescriptor& format, const std::string& file,
                        const Assignments& assignments) {
  TraceOptions options;
  TraceKeys keys;
  keys.path = "a trace";
  keys.format = format.name;
  ParameterSet set;
  options.columns.declare(set);
  options.rules.declare(set);
  keys.declare_levels(set);
  std::vector<ParameterError> errors = set.apply(assignments);
  if (errors.empty()) {
    errors = options.columns.check(format.takes_columns);
    for (const ParameterError& error : keys.check({})) {
      errors.push_back(error);
    }
    for (const auto& [name, value] : assignments) {
      const bool blocks = format.kind() == TraceKind::blocks;
      const bool requests = blocks || format.kind() == TraceKind::accesses;
      if ((name == "zero_length" && !blocks) || (name == "on_bad_record" && !requests)) {
        errors.push_back({name, std::string("needs a block trace") +
                                    (name == "zero_length" ? "" : " or memory requests") +
                                    ": format " + format.name + " has " + name_of(format.kind())});
      }
    }
  }
  if (!errors.empty()) {
    throw InputError(file + ": " + join_errors(errors));
  }
  options.levels = *parse_levels(keys.levels).value;
  return options;
}

}  // namespace

void bind_traces(py::module_& module) {
  module.def("infer_causes", &infer, py::arg("requests"));
  py::class_<FormatDescriptor, std::unique_ptr<FormatDescriptor, py::nodelete>>(module,
                                                                                "TraceFormat")
      .def_readonly("name", &FormatDescriptor::name)
      .def_readonly("doc", &FormatDescriptor::doc)
      .def_property_readonly("kind",
                             [](const FormatDescriptor& self) { return name_of(self.kind()); })
      .def_property_readonly("unit",
                             [](const FormatDescriptor& self) { return name_of(self.unit); })
      .def_readonly("clock_step_ns", &FormatDescriptor::clock_step_ns)
      .def_property_readonly("clock_is_coarse", &FormatDescriptor::clock_is_coarse)
      .def_readonly("has_completions", &FormatDescriptor::has_completions)
      .def(
          "looks_like",
          [](const FormatDescriptor& self, const py::bytes& start) {
            return self.looks_like(TraceStart(std::string_view(start)));
          },
          py::arg("start"));
  module.def("guessed_columns", &guessed_columns, py::arg("line"));
  module.def("trace_formats", [] {
    return std::vector<const FormatDescriptor*>(kFormatTable.begin(), kFormatTable.end());
  });
  module.def("pack_records", &pack, py::arg("records"));
  module.def("unpack_records", &unpack, py::arg("columns"));
  module.def(
      "cause_index",
      [](const std::string& file, py::function source) {
        RecordBlocks blocks(TraceReader(bytes_from(std::move(source)), 0, file, 0));
        return py::bytes(CauseIndex::bytes_of(blocks));
      },
      py::arg("file"), py::arg("source"));
  py::class_<TraceRecords>(module, "TraceRecords")
      .def(py::init([](const std::string& format, const std::string& file, py::function source,
                       const Assignments& options) {
             const FormatDescriptor* const found = find_format(format);
             if (found == nullptr) {
               throw InputError("no reader for the format '" + format + "'");
             }
             return open_records(format, TraceReader(bytes_from(std::move(source)), 0, file, 0),
                                 options_of(*found, file, options));
           }),
           py::arg("format"), py::arg("file"), py::arg("source"),
           py::arg("options") = Assignments())
      .def_property_readonly("skipped", &TraceRecords::skipped)
      .def_property_readonly("completions", &TraceRecords::completions)
      .def_property_readonly("zero_length",
                             [](const TraceRecords& self) { return self.left_out().zero_length; })
      .def_property_readonly("bad_records",
                             [](const TraceRecords& self) { return self.left_out().bad; })
      .def_property_readonly("note", &TraceRecords::note)
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

  py::class_<TraceSummary>(module, "TraceSummary")
      .def(py::init([](std::uint64_t nvdimm, bool timed, bool from_first) {
             return TraceSummary(nvdimm, !timed       ? TraceSummary::Times::none
                                         : from_first ? TraceSummary::Times::from_first
                                                      : TraceSummary::Times::absolute);
           }),
           py::arg("nvdimm"), py::arg("timed"), py::arg("from_first") = false)
      .def("add", &add, py::arg("records"), py::arg("count"))
      .def_property_readonly("sources", &TraceSummary::sources)
      .def_property_readonly("last_time", &TraceSummary::last_time)
      .def_property_readonly("memories", [](const TraceSummary& self) {
        return py::make_tuple(describe(self.memories()[0]), describe(self.memories()[1]));
      });
}

}  // namespace hmsim

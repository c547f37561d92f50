// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/convert.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

namespace py = pybind11;

namespace hmsim {

namespace {

const char* name_of(StatisticKind kind) {
  switch (kind) {
    case StatisticKind::counter:
      return "counter";
    case StatisticKind::gauge:
      return "gauge";
    case StatisticKind::ratio:
      return "ratio";
    case StatisticKind::histogram:
      return "histogram";
  }
  return "";
}

py::object value_of(const Statistic& statistic) {
  if (!statistic.present) {
    return py::none();
  }
  if (statistic.kind == StatisticKind::counter) {
    return py::int_(statistic.count);
  }
  if (statistic.kind == StatisticKind::histogram) {
    py::dict summary;
    for (const auto& [name, value] : statistic.summary) {
      summary[py::str(name)] = value;
    }
    summary["count"] = statistic.count;
    return std::move(summary);
  }
  return py::float_(statistic.value);
}

template <std::size_t Columns>
py::dict to_table(const std::array<const char*, Columns>& names,
                  const std::array<std::vector<std::int64_t>, Columns>& values) {
  py::dict table;
  for (std::size_t i = 0; i < Columns; ++i) {
    table[names[i]] =
        py::array_t<std::int64_t>(static_cast<py::ssize_t>(values[i].size()), values[i].data());
  }
  return table;
}

}  // namespace

py::list to_python(const std::vector<ParameterInfo>& parameters) {
  py::list list;
  for (const ParameterInfo& info : parameters) {
    py::dict entry;
    entry["name"] = info.name;
    entry["type"] = info.type;
    entry["unit"] = info.unit;
    entry["default"] = info.initial;
    entry["range"] = info.range;
    entry["doc"] = info.doc;
    entry["source"] = info.source;
    entry["of_part"] = info.of_part;
    list.append(std::move(entry));
  }
  return list;
}

py::list to_python(const std::vector<Statistic>& statistics) {
  py::list list;
  for (const Statistic& statistic : statistics) {
    py::dict entry;
    entry["path"] = statistic.path;
    entry["unit"] = statistic.unit;
    entry["description"] = statistic.description;
    entry["kind"] = name_of(statistic.kind);
    entry["value"] = value_of(statistic);
    list.append(std::move(entry));
  }
  return list;
}

py::object to_python(const Series& series, const std::vector<Statistic>& columns) {
  const auto rows = static_cast<py::ssize_t>(series.times().size());
  py::array_t<std::int64_t> times(rows);
  std::transform(series.times().begin(), series.times().end(), times.mutable_data(),
                 [](Tick time) { return time.value(); });
  py::dict table;
  table["interval_ps"] = series.interval().value();
  table["columns"] = to_python(columns);
  table["times_ps"] = std::move(times);
  table["values"] =
      py::array_t<double>({rows, static_cast<py::ssize_t>(columns.size())}, series.values().data());
  return std::move(table);
}

py::object take(RequestLog* log) {
  return to_table(RequestLog::kNames, log == nullptr ? RequestLog::Columns() : log->take());
}

py::object take(IoLog* log) {
  return to_table(IoLog::kNames, log == nullptr ? IoLog::Columns() : log->take());
}

py::object take(CommandLog* log) {
  if (log == nullptr) {
    return py::none();
  }
  py::dict tables;
  tables["commands"] = to_table(CommandLog::kCommandNames, log->commands().take());
  tables["modules"] = to_table(CommandLog::kModuleNames, log->modules().take());
  return std::move(tables);
}

py::object take(ThreadLog* log) {
  return log == nullptr ? py::object(py::none())
                        : py::make_tuple(to_table(ThreadLog::kNames, log->take()), log->names());
}

}  // namespace hmsim

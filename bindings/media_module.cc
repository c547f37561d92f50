// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/media_module.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <vector>

#include "nvdimm/media/start_gap.h"

namespace py = pybind11;

namespace hmsim {

namespace {

std::vector<std::vector<std::uint64_t>> start_gap_places(std::uint32_t lines, std::uint32_t moves) {
  StartGap gap(lines);
  std::vector<std::vector<std::uint64_t>> history;
  for (std::uint32_t move = 0; move <= moves; ++move) {
    std::vector<std::uint64_t>& places = history.emplace_back();
    for (std::uint32_t line = 0; line < lines; ++line) {
      places.push_back(gap.place(line));
    }
    gap.move();
  }
  return history;
}

}  // namespace

void bind_media(py::module_& module) {
  module.def("start_gap_places", &start_gap_places, py::arg("lines"), py::arg("moves"));
}

}  // namespace hmsim

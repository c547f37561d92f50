// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/stl.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/modules.h"
#include "clones/clone.h"

namespace py = pybind11;

namespace hmsim {

namespace {

using Bin = std::tuple<double, std::int64_t, std::int64_t, double>;
using Visits = std::tuple<Bin, double, double, double>;

CloneBin bin_of(const Bin& bin) {
  const auto& [share, low, high, mean] = bin;
  return {share, low, high, mean};
}

std::vector<CloneBin> bins_of(const py::handle& list) {
  std::vector<CloneBin> bins;
  for (const Bin& bin : list.cast<std::vector<Bin>>()) {
    bins.push_back(bin_of(bin));
  }
  return bins;
}

std::vector<CloneVisits> visits_of(const py::handle& list) {
  std::vector<CloneVisits> classes;
  for (const auto& [length, whole, first, last] : list.cast<std::vector<Visits>>()) {
    classes.push_back({bin_of(length), whole, first, last});
  }
  return classes;
}

CloneStream stream_of(const py::dict& from) {
  CloneStream stream;
  stream.kind = from["kind"].cast<int>();
  stream.nvdimm = from["nvdimm"].cast<bool>();
  stream.attached = from["attached"].cast<bool>();
  stream.visits = {visits_of(from["jumped"]), visits_of(from["followed"]),
                   visits_of(from["swept"])};
  stream.follow = from["follow"].cast<decltype(stream.follow)>();
  stream.reuse = bins_of(from["reuse"]);
  stream.skips = bins_of(from["skips"]);
  for (const py::handle& pieces : from["pieces"]) {
    const auto [low, edges, inner] =
        pieces.cast<std::tuple<std::int64_t, py::object, py::object>>();
    stream.pieces.push_back({low, bins_of(edges), bins_of(inner)});
  }
  for (const py::handle& pace : from["paces"]) {
    stream.paces.push_back({bins_of(pace["inside"]), bins_of(pace["between"]),
                            pace["mix"].cast<decltype(ClonePace::mix)>()});
  }
  stream.pace = from["pace"].cast<std::vector<std::size_t>>();
  stream.phases = from["phases"].cast<std::vector<std::uint64_t>>();
  stream.first_page = from["first_page"].cast<std::uint64_t>();
  stream.pages = from["pages"].cast<std::uint64_t>();
  return stream;
}

}  // namespace

void bind_clones(py::module_& module) {
  py::class_<Clone>(module, "Clone")
      .def(py::init([](const py::list& streams, std::int64_t instructions, double speed,
                       std::uint64_t seed) {
             CloneProfile profile;
             profile.instructions = instructions;
             profile.speed = speed;
             profile.seed = seed;
             for (const py::handle& stream : streams) {
               profile.streams.push_back(stream_of(py::cast<py::dict>(stream)));
             }
             return std::make_unique<Clone>(std::move(profile));
           }),
           py::arg("streams"), py::arg("instructions"), py::arg("speed"), py::arg("seed"))
      .def(
          "records", [](Clone& self, std::size_t count) { return py::bytes(self.records(count)); },
          py::arg("count"));
}

}  // namespace hmsim

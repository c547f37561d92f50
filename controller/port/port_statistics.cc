// SPDX-License-Identifier: BSD-3-Clause
#include "controller/port/port_statistics.h"

#include <array>
#include <string>
#include <utility>

#include "controller/port/cxl_port.h"
#include "core/statistic_sums.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

using Ports = std::vector<CxlPort*>;

void register_lane(StatisticRegistry& registry, const Ports& ports, const std::string& path,
                   const FlitLane& (CxlPort::*lane)() const) {
  registry.ratio(
      path + ".busy", "share of time in which messages occupy the lane",
      sum_over(ports, [lane](const CxlPort& port) { return (port.*lane)().busy().value(); }),
      sum_over(ports,
               [](const CxlPort& port) { return (port.now() - port.measured_from()).value(); }));
  const auto messages = [&](const char* name, const char* description, FlitMessage kind) {
    registry.gauge(path + name, "messages", description,
                   sum_over(ports, [lane, kind](const CxlPort& port) {
                     return (port.*lane)().messages(kind);
                   }));
  };
  messages(".headers", "messages without data", FlitMessage::header);
  messages(".lines", "messages with a line of data", FlitMessage::data);
}

template <class Select>
std::vector<Histogram*> histograms(const Ports& ports, Select select) {
  std::vector<Histogram*> all;
  for (CxlPort* port : ports) {
    all.push_back(&select(port->port_statistics()));
  }
  return all;
}

}  // namespace

void register_port_statistics(StatisticRegistry& registry, const PortPaths& paths,
                              const Ports& ports) {
  for (const bool write : {false, true}) {
    registry.histogram(paths.latency + (write ? "write" : "read") + ".link_ns", "ns",
                       "on the link of the port, both ways", kPicosecondsPerNanosecond,
                       histograms(ports, [write](PortStatistics& counted) -> Histogram& {
                         return counted.link_time[write ? 1 : 0].histogram();
                       }));
  }
  registry.histogram(paths.link + "credit_wait_ns", "ns",
                     "from a request's arrival at the host to its way down the link",
                     kPicosecondsPerNanosecond,
                     histograms(ports, [](PortStatistics& counted) -> Histogram& {
                       return counted.credit_wait.histogram();
                     }));
  registry.on_read([ports] {
    for (CxlPort* port : ports) {
      port->port_statistics().fold();
    }
  });
  register_lane(registry, ports, paths.link + "down", &CxlPort::down);
  register_lane(registry, ports, paths.link + "up", &CxlPort::up);
}

void register_load_statistics(StatisticRegistry& registry, const Ports& ports) {
  constexpr std::array<const char*, kLoadLevels> kLevels{"light", "optimal", "moderate", "severe"};
  for (std::size_t level = 0; level < kLoadLevels; ++level) {
    std::vector<Counter*> counters;
    for (CxlPort* port : ports) {
      counters.push_back(&port->port_statistics().answers[level]);
    }
    registry.counter(std::string("cxl.load.") + kLevels[level], "answers",
                     "answers that carried this load level", std::move(counters));
  }
}

}  // namespace hmsim

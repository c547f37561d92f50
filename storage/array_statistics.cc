// SPDX-License-Identifier: BSD-3-Clause
// Statistics of an array: parts of request time, utilisation and power.
#include "storage/array.h"
#include "storage/statistics.h"

namespace hmsim {

namespace {

constexpr NamedPart<ArrayPart> kNames[] = {
    {ArrayPart::barrier, "barrier", "waiting for a barrier to end"},
    {ArrayPart::tag, "tag", "waiting for a tag"},
    {ArrayPart::queue, "queue", "in its queue, waiting for a buffer or a controller's room"},
    {ArrayPart::link, "link", "on the link, or waiting for it"},
    {ArrayPart::buffer, "buffer", "read data waiting for a buffer"},
    {ArrayPart::ring, "ring", "on the ring, or waiting for it"},
    {ArrayPart::controller, "controller_wait", "waiting for the controller, or room in its queue"},
    {ArrayPart::cells, "cells", "the controller reads or writes"},
    {ArrayPart::end, "end", "reporting its end to the host"},
};
static_assert(std::size(kNames) == kArrayParts);

struct NamedPower {
  const char* name;
  double Power::*watts;
  const char* description;
};
constexpr NamedPower kPowers[] = {
    {"scheduler", &Power::scheduler, "scheduler and DMA engines"},
    {"ring", &Power::ring, "ring"},
    {"link", &Power::link, "interface of the link"},
    {"buffers", &Power::buffers, "buffers of scheduler and controllers"},
    {"controllers", &Power::controllers, "memory controllers"},
    {"cells", &Power::cells, "cells and row buffers, for reads and writes"},
    {"background", &Power::background, "dies, idle or ready to receive commands"},
};

}  // namespace

void Array::account(Tick now) {
  io_queue_.account(now);
  tags_.level().account(now);
  for (SlotsInTurn<std::uint32_t>& each : buffers_) {
    each.level().account(now);
  }
  for (LinkDirection& each : link_) {
    each.server.level().account(now);
  }
  ring_.level().account(now);
  memory_.account(now);
}

Power Array::power() const {
  return power_of(parameters_.power,
                  {(link_busy(false) + link_busy(true)) / 2, ring_busy(), memory_.busy()},
                  memory_.counts(), parameters_.memory, ring_.level().time());
}

void Array::register_statistics(StatisticRegistry& registry, const std::string& path) {
  for (const bool write : {false, true}) {
    ArrayCounts::Direction& of = counts_.of[write ? 1 : 0];
    const std::string prefix = path + (write ? ".write." : ".read.");
    Counter& requests = io_queue_.counts(write).requests;
    register_parts(registry, prefix, kNames, of.parts, requests);
    registry.counter(prefix + "requests", "requests",
                     "requests that ended; large requests of the host arrive in pieces",
                     {&requests});
    registry.counter(prefix + "transfers", "transfers", "transfers of one buffer each",
                     {&of.transfers});
  }
  register_level(registry, path + ".tags", "tags", "tags in use, mean over time", tags_.level());
  registry.gauge(path + ".buffers", "buffers", "buffers in use, mean over time", [this] {
    double sum = 0;
    for (const SlotsInTurn<std::uint32_t>& each : buffers_) {
      sum += each.level().mean();
    }
    return sum;
  });
  constexpr const char* kLink = "share of time in which data were in flight";
  register_level(registry, path + ".link.to_host.busy", "", kLink, link_[1].server.level());
  register_level(registry, path + ".link.from_host.busy", "", kLink, link_[0].server.level());
  register_level(registry, path + ".ring.busy", "", "share of time in which it carried data",
                 ring_.level());
  registry.gauge(path + ".controllers.busy", "", "busy share of time, mean over controllers",
                 [this] { return memory_.busy(); });
  RowMemoryCounts& rows = memory_.counts();
  registry.counter(path + ".rows_read", "rows", "rows opened for reads", {&rows.rows_read});
  registry.counter(path + ".rows_written", "rows", "rows written, without wear levelling",
                   {&rows.rows_written});
  registry.counter(path + ".gap_moves", "rows", "rows moved by wear levelling", {&rows.gap_moves});
  registry.counter(path + ".wake_ups", "transfers", "transfers that found their controller idle",
                   {&rows.wake_ups});
  registry.gauge(path + ".power_w", "W", "power of all parts, mean over time",
                 [this] { return power().total(); });
  for (const NamedPower& each : kPowers) {
    registry.gauge(path + ".energy_j." + each.name, "J", each.description,
                   [this, watts = each.watts] {
                     return power().*watts * static_cast<double>(ring_.level().time().value()) /
                            static_cast<double>(kSecond.value());
                   });
  }
  registry.on_reset([this](Tick now) {
    io_queue_.reset(now);
    for (SlotsInTurn<std::uint32_t>& each : buffers_) {
      each.level().reset(now);
    }
    memory_.reset(now);
  });
}

}  // namespace hmsim

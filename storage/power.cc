// SPDX-License-Identifier: BSD-3-Clause
#include "storage/power.h"

namespace hmsim {

namespace {

constexpr double kMostWatts = 1'000;
constexpr double kPicojoule = 1e-12;
constexpr double kMicrowatt = 1e-6;
constexpr double kBitsPerByte = 8;

double watts(const BlockPower& block, double busy) {
  return block.idle + busy * (block.peak - block.idle);
}

}  // namespace

void ArrayPowerParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "power");
  constexpr const char* kSource = "Caulfield et al. 2010, Table I";
  struct Block {
    const char* idle;
    const char* peak;
    BlockPower ArrayPowerParameters::*power;
    const char* doc_idle;
    const char* doc_peak;
  };
  constexpr Block kBlocks[] = {
      {"scheduler_idle", "scheduler_peak", &ArrayPowerParameters::scheduler,
       "power of the scheduler and its DMA engines, idle",
       "power of both while the link is busy both ways"},
      {"ring_idle", "ring_peak", &ArrayPowerParameters::ring, "power of the ring, idle",
       "power of the ring, busy"},
      {"link_idle", "link_peak", &ArrayPowerParameters::link, "power of the link's interface, idle",
       "power of the link's interface while the link is busy both ways"},
      {"scheduler_buffers_idle", "scheduler_buffers_peak", &ArrayPowerParameters::scheduler_buffers,
       "power of the scheduler's buffers, idle",
       "power of the scheduler's buffers while the link is busy both ways"},
      {"controller_idle", "controller_peak", &ArrayPowerParameters::controller,
       "power of each controller, idle", "power of each controller, busy"},
      {"controller_buffers_idle", "controller_buffers_peak",
       &ArrayPowerParameters::controller_buffers, "power of each controller's buffers, idle",
       "power of each controller's buffers, busy"},
  };
  for (const Block& each : kBlocks) {
    BlockPower& power = this->*each.power;
    parameters.real(each.idle, power.idle, 0, kMostWatts, "W", {each.doc_idle, kSource});
    parameters.real(each.peak, power.peak, 0, kMostWatts, "W", {each.doc_peak, kSource});
  }
  constexpr const char* kCells = "Lee et al. 2009";
  parameters.real("cell_write", cell_write, 0, 1e6, "pJ/bit", {"energy to write a cell", kCells});
  parameters.real("cell_read", cell_read, 0, 1e6, "pJ/bit", {"energy to read a cell", kCells});
  parameters.real("row_buffer_write", row_buffer_write, 0, 1e6, "pJ/bit",
                  {"energy to write to a row buffer", kCells});
  parameters.real("row_buffer_read", row_buffer_read, 0, 1e6, "pJ/bit",
                  {"energy to read from a row buffer", kCells});
  parameters.integer("dies", dies, {0, 1'000'000}, "dies", {"dies of cells, in total", kSource});
  parameters.real("die_idle", die_idle, 0, kMostWatts, "W", {"standby power of each die", kSource});
  parameters.real("row_active", row_active, 0, 1e6, "uW/bit",
                  {"power of each bit of a row while its controller is busy and its dies are ready "
                   "to receive commands; 0: none",
                   "Caulfield et al. 2010, Table I: 20, which its totals leave out"});
}

Power power_of(const ArrayPowerParameters& parameters, const BusyShares& busy,
               const RowMemoryCounts& counts, const RowMemoryParameters& memory, Tick time) {
  const auto number = static_cast<double>(memory.controllers);
  const double open_bits =
      number * busy.controllers * kBitsPerByte * static_cast<double>(memory.row.value());
  Power power;
  power.scheduler = watts(parameters.scheduler, busy.link);
  power.ring = watts(parameters.ring, busy.ring);
  power.link = watts(parameters.link, busy.link);
  power.buffers = watts(parameters.scheduler_buffers, busy.link) +
                  number * watts(parameters.controller_buffers, busy.controllers);
  power.controllers = number * watts(parameters.controller, busy.controllers);
  power.background = static_cast<double>(parameters.dies) * parameters.die_idle +
                     open_bits * parameters.row_active * kMicrowatt;
  if (time > Tick(0)) {
    const double picojoules =
        kBitsPerByte *
        (static_cast<double>(counts.cell_bytes_written) * parameters.cell_write +
         static_cast<double>(counts.cell_bytes_read) * parameters.cell_read +
         static_cast<double>(counts.buffer_bytes_written) * parameters.row_buffer_write +
         static_cast<double>(counts.buffer_bytes_read) * parameters.row_buffer_read);
    power.cells = picojoules * kPicojoule /
                  (static_cast<double>(time.value()) / static_cast<double>(kSecond.value()));
  }
  return power;
}

}  // namespace hmsim

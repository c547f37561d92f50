// SPDX-License-Identifier: BSD-3-Clause
// Byte-addressable media as a kind of NVDIMM.
#include <string>

#include "core/units.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

namespace {

// Lines that may have to be saved: every entry of the write queue, and spared writes.
std::int64_t save_lines(const NvdimmParameters& parameters) {
  return parameters.media.write_queue + parameters.spared_writes;
}

// All of one bank.
Tick worst_hold_up_of(const NvdimmParameters& parameters) {
  return save_lines(parameters) * parameters.media.technology.write_time;
}

void check(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  constexpr std::int64_t kMicrojoules = 1000;  // a millijoule
  parameters.media.check(parameters.capacity, errors);
  if (!parameters.precondition.load.empty()) {
    errors.push_back({"nvdimm.precondition.load", "only flash can be preconditioned"});
  }
  if (parameters.precondition.buffer != PreconditionBuffer::none) {
    errors.push_back(
        {"nvdimm.precondition.buffer", "only flash has a synchronisation buffer: must be 'none'"});
  }
  const std::int64_t budget = parameters.power.energy;
  const std::int64_t need = flush_energy(parameters.power, worst_hold_up_of(parameters));
  if (budget != kEnoughEnergy && need > budget * kMicrojoules) {
    errors.push_back(
        {"nvdimm.power.energy",
         std::to_string(budget) + " mJ are too little for a power failure: " +
             std::to_string(save_lines(parameters)) + " lines of one bank take up to " +
             format_time(worst_hold_up_of(parameters)) + " and " + std::to_string(need) +
             " uJ at " + std::to_string(parameters.power.draw) + " mW"});
  }
}

Bytes capacity(const NvdimmParameters& parameters) { return parameters.capacity; }

std::int64_t banks(const NvdimmParameters& parameters) { return parameters.media.banks; }

Tick command_time(const NvdimmParameters& parameters) { return parameters.media.command_time; }

Tick line_read(const NvdimmParameters& parameters) { return parameters.media.technology.read_time; }

std::unique_ptr<NvdimmModule> make(const NvdimmParameters& parameters, AckListener& host,
                                   std::uint64_t seed, const Assignments& /*assignments*/) {
  return std::make_unique<MediaModule>(parameters, host, seed);
}

}  // namespace

const NvdimmDesign kMediaDesign{check,     capacity,         banks, command_time,
                                line_read, worst_hold_up_of, make,  register_media_statistics};

}  // namespace hmsim

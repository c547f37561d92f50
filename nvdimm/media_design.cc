// SPDX-License-Identifier: BSD-3-Clause
// The byte-addressable kinds of NVDIMM.
#include <string>

#include "core/units.h"
#include "nvdimm/design.h"
#include "nvdimm/media/media_module.h"

namespace hmsim {

namespace {

void check(const NvdimmParameters& parameters, std::vector<ParameterError>& errors) {
  parameters.media.check(parameters.capacity, errors);
  if (!parameters.precondition.load.empty()) {
    errors.push_back({"nvdimm.precondition.load", "preconditioning needs nvdimm.kind: flash"});
  }
  if (parameters.precondition.buffer != PreconditionBuffer::none) {
    errors.push_back(
        {"nvdimm.precondition.buffer", "must be 'none': only flash has a synchronisation buffer"});
  }
  const std::int64_t budget = parameters.power.energy;
  const Tick worst = parameters.media.save_time(parameters.spared_writes);
  const std::int64_t need = flush_energy(parameters.power, worst);
  if (budget != kEnoughEnergy && need > budget * kMicrojoulesPerMillijoule) {
    errors.push_back({"nvdimm.power.energy",
                      std::to_string(budget) + " mJ is too little for a power failure: " +
                          std::to_string(parameters.media.save_lines(parameters.spared_writes)) +
                          " lines of one bank take up to " + format_time(worst) + " and " +
                          std::to_string(need) + " uJ at " + std::to_string(parameters.power.draw) +
                          " mW"});
  }
}

Bytes capacity(const NvdimmParameters& parameters) { return parameters.capacity; }

std::int64_t banks(const NvdimmParameters& parameters) { return parameters.media.banks; }

Tick command_time(const NvdimmParameters& parameters) { return parameters.media.command_time; }

Tick line_read(const NvdimmParameters& parameters) { return parameters.media.technology.read_time; }

std::unique_ptr<NvdimmModule> make(const NvdimmParameters& parameters, AckListener& host,
                                   std::uint64_t seed, const Assignments& /*assignments*/) {
  return std::make_unique<MediaModule>(parameters, parameters.media, host, seed);
}

}  // namespace

const NvdimmDesign kMediaDesign{
    check, capacity, banks, command_time, line_read, make, register_media_statistics};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// All parameters of the memory side.
#pragma once

#include <vector>

#include "controller/controller_parameters.h"
#include "controller/nvdimm_population.h"
#include "core/parameters.h"
#include "core/request.h"
#include "dram/model_parameters.h"
#include "dram/parameters.h"
#include "nvdimm/parameters.h"
#include "policies/policy.h"

namespace hmsim {

inline constexpr std::int64_t kEntriesPerTransaction = 2;  // of a two_level command queue

struct SystemConfig {
  ControllerParameters controller;
  DramParameters dram;
  DramModelParameters dram_model;
  NvdimmParameters nvdimm;  // the first of a channel
  NvdimmPopulation population;
  bool store_data = false;
  bool preconditioned = true;  // false: the NVDIMMs' state comes from elsewhere
  // Of the frontend: where its fences take written lines for safe.
  Persistence persistence = Persistence::controller;
  std::int64_t nodes = 1;   // that have so many channels each; a simulation sets it
  Assignments assignments;  // as given: policies read their own share of it
  PolicyMakers makers;      // of controller.scheduler, .nvdimm_scheduler and .arbiter

  void declare(ParameterSet& parameters);
  // Those of a channel, by number; none without NVDIMM.
  std::vector<NvdimmParameters> nvdimms() const;
  void resolve_presets();                     // after the values are set
  std::vector<ParameterError> check() const;  // what does not fit together; after resolving

  // Transactions that one channel can hold at once: two_level frees a slot when a transaction moves
  // on to its command queue, where it takes two entries.
  std::int64_t transaction_slots() const;
  // Those that NVDIMM requests can hold at once.
  std::int64_t nvdimm_slots() const;
  // NVDIMM commands that may wait for their ack at once.
  std::int64_t outstanding_limit() const;

  std::int64_t all_channels() const { return controller.channels * nodes; }

  // One for each channel; with controller.bus: private one for each channel and class, the classes
  // of a channel as far apart as there are channels, DRAM first.
  std::vector<SystemConfig> channel_configs() const;

  Bytes dram_capacity() const { return dram.capacity() * all_channels(); }
  Bytes nvdimm_capacity() const;  // logical, all channels; 0 without NVDIMM

 private:
  void derive(NvdimmParameters& module) const;
  void check_nvdimms(std::vector<ParameterError>& errors) const;
  // As nvdimms(), and what is wrong with their keys.
  std::vector<NvdimmParameters> modules(std::vector<ParameterError>& errors) const;
  // Transactions that the command queue of a rank of DRAM, or of an NVDIMM, holds.
  std::int64_t command_slots(MemoryClass memory) const;
};

}  // namespace hmsim

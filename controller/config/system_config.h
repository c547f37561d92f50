// SPDX-License-Identifier: BSD-3-Clause
// All parameters of the memory side.
#pragma once

#include <vector>

#include "controller/config/controller_parameters.h"
#include "controller/config/host_parameters.h"
#include "controller/config/nvdimm_population.h"
#include "controller/config/port_parameters.h"
#include "core/parameters.h"
#include "core/request.h"
#include "dram/model_parameters.h"
#include "dram/parameters.h"
#include "nvdimm/parameters.h"
#include "policies/policy.h"

namespace hmsim {

inline constexpr std::int64_t kEntriesPerTransaction = 2;  // of a two_level command queue

struct SystemConfig {
  HostParameters host;
  ControllerParameters controller;
  DramParameters dram;
  DramModelParameters dram_model;
  NvdimmParameters nvdimm;  // the first one of a channel
  NvdimmPopulation population;
  PortParameters port;  // of the NVDIMMs of a channel
  ExpanderParameters expander;
  bool store_data = false;
  bool preconditioned = true;  // false: the NVDIMMs' state is loaded separately
  // From the frontend: where a fence considers written lines safe.
  Persistence persistence = Persistence::controller;
  std::int64_t nodes = 1;   // with separate channels each; set by the simulation
  Assignments assignments;  // as given; policies read their part
  PolicyMakers makers;      // by parameter; used for those of controller.

  void declare(ParameterSet& parameters);
  // Returns the NVDIMMs of a channel by number; empty without NVDIMM.
  std::vector<NvdimmParameters> nvdimms() const;
  void resolve_presets();                     // call after the values are set
  std::vector<ParameterError> check() const;  // inconsistencies; call after resolving

  // Returns the maximum number of transactions on one channel. two_level frees a slot when a
  // transaction moves to its command queue, where it takes two entries.
  std::int64_t transaction_slots() const;
  // Returns the maximum number of NVDIMM transactions.
  std::int64_t nvdimm_slots() const;
  // Returns the maximum number of NVDIMM commands that wait for their ack.
  std::int64_t outstanding_limit() const;

  std::int64_t all_channels() const { return controller.channels * nodes; }

  // Returns whether the classes have separate channels: all DRAM channels first, then all NVDIMM
  // channels.
  bool separate_channels() const {
    return controller.bus == BusLayout::separate || (!port.on_bus() && nvdimm.present);
  }
  // Returns whether the DRAM of a channel is behind a port. `channel`: less than
  // controller.channels.
  bool is_expander(std::int64_t channel) const {
    return channel >= controller.channels - expander.channels;
  }
  // Returns whether an NVDIMM command of a block driver may have several lines.
  bool block_access() const;
  // Returns whether a request for the NVDIMM may be a page.
  bool page_requests() const { return (nvdimm.present && port.is_hbf()) || block_access(); }
  // Returns whether the host's FTL takes the requests for the NVDIMM.
  bool host_maps() const {
    return nvdimm.present && port.is_hbf() && nvdimm.hbf.ftl == HbfMapping::host;
  }
  // Returns the configuration of each channel.
  std::vector<SystemConfig> channel_configs() const;

  Bytes dram_capacity() const { return dram.capacity() * all_channels(); }
  Bytes nvdimm_capacity() const;  // logical, all channels; 0 without NVDIMM

 private:
  SystemConfig nvdimm_channel() const;
  void check_attachment(std::vector<ParameterError>& errors) const;
  void check_access(std::vector<ParameterError>& errors) const;
  void check_hbf(std::vector<ParameterError>& errors) const;
  std::int64_t default_queue_depth() const;
  void derive(NvdimmParameters& module) const;
  void check_nvdimms(std::vector<ParameterError>& errors) const;
  // Like nvdimms(), and appends errors in their keys.
  std::vector<NvdimmParameters> modules(std::vector<ParameterError>& errors) const;
  // Returns the maximum number of transactions in the command queue of one DRAM rank or one NVDIMM;
  // 0 unless two_level.
  std::int64_t command_slots(MemoryClass memory) const;
};

}  // namespace hmsim

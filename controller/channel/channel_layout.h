// SPDX-License-Identifier: BSD-3-Clause
// What a channel is built as: constants that all its parts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/address_map.h"
#include "controller/channel/pseudo_banks.h"
#include "controller/channel/transaction.h"
#include "controller/system_config.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

struct ChannelLayout {
  ChannelLayout(const SystemConfig& config, int index);

  Tick time_of(Cycle cycle) const { return Tick(cycle.value() * period.value()); }

  // Transaction queues are numbered: the NVDIMM has one of its own, and a scheduler, in split mode.
  std::size_t queues() const { return split ? 2 : 1; }
  std::size_t queue_of(MemoryClass memory) const {
    return split && memory == MemoryClass::nvdimm ? 1 : 0;
  }

  int bank_in_rank(const Transaction& transaction) const {
    return is_nvdimm(transaction) ? transaction.bank : transaction.bank & (banks_per_rank - 1);
  }
  // A write to the NVDIMM that goes on credit, without command and ack.
  bool is_posted(const Transaction& transaction) const {
    return posts_writes && transaction.request.write && is_nvdimm(transaction);
  }

  // What policies see of a transaction, but for whether it is a row hit.
  RequestView view_of(const Transaction& transaction) const;
  // What policies are told of the channel once.
  ChannelShape shape(const std::vector<NvdimmParameters>& modules, std::size_t slots) const;

  const ControllerParameters controller;
  const DramParameters dram;
  const AddressMap map;
  const int index;  // the channel's number
  const Tick period;
  const int banks_per_rank;        // a power of two
  const int nvdimm_rank;           // the rank after the last of the DRAM: the first NVDIMM
  const int nvdimms;               // each of which is a rank
  const PseudoBanks pseudo_banks;  // of the NVDIMMs
  const bool split;
  const bool two_level;
  const bool drained;              // DRAM writes wait for a batch
  const bool command_queues_fill;  // flat: one may be full while another transaction could start
  const bool posts_writes;
  const bool grants;         // the host says when data of the NVDIMM pass; else they follow the ack
  const Cycle turnaround;    // the longest gap that a change of the data bus's driver needs
  const Cycle ack_to_burst;  // from an ack to the first edge on which its burst may be granted
};

}  // namespace hmsim

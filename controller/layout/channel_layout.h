// SPDX-License-Identifier: BSD-3-Clause
// Constants of a channel that all its parts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/config/address_map.h"
#include "controller/config/system_config.h"
#include "controller/layout/pseudo_banks.h"
#include "controller/layout/transaction.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

struct ChannelLayout {
  ChannelLayout(const SystemConfig& config, int index);

  Tick time_of(Cycle cycle) const { return Tick(cycle.value() * period.value()); }

  // Queues are numbered from 0. In split mode the NVDIMM has a separate queue and scheduler.
  std::size_t queues() const { return split ? 2 : 1; }
  std::size_t queue_of(MemoryClass memory) const {
    return split && memory == MemoryClass::nvdimm ? 1 : 0;
  }

  int bank_in_rank(const Transaction& transaction) const {
    return is_nvdimm(transaction) ? transaction.bank : transaction.bank & (banks_per_rank - 1);
  }
  // Returns whether the transaction is an NVDIMM write sent on credit, without command and ack.
  bool is_posted(const Transaction& transaction) const {
    return posts_writes && transaction.request.write && is_nvdimm(transaction);
  }

  // Returns a policy's view of a transaction. Its row_hit is false; the caller sets it.
  RequestView view_of(const Transaction& transaction) const;
  // Returns the description of the channel that policies get once.
  ChannelShape shape(const std::vector<NvdimmParameters>& modules, std::size_t slots) const;

  const ControllerParameters controller;
  const DramParameters dram;
  const AddressMap map;
  const int index;  // channel number
  const Tick period;
  const int banks_per_rank;        // a power of two
  const int nvdimm_rank;           // rank of the first NVDIMM, after the last DRAM rank
  const int nvdimms;               // each is a rank
  const PseudoBanks pseudo_banks;  // of the NVDIMMs
  const bool split;
  const bool two_level;
  const bool drained;  // DRAM writes are issued in batches
  // Flat: a command queue may be full while another transaction could start.
  const bool command_queues_fill;
  const bool posts_writes;
  const bool blocks;  // NVDIMM transactions may have several lines
  const bool grants;  // the host grants the data bus for NVDIMM data; otherwise data follow the ack
  const Cycle command_slots;  // edges of the command bus that a command takes
  const Cycle turnaround;     // longest gap for a change of the data bus's driver
  const Cycle ack_to_burst;   // from an ack to the first edge on which its burst may be granted
};

}  // namespace hmsim

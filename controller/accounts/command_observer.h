// SPDX-License-Identifier: BSD-3-Clause
// The hook through which command logs, timelines and checkers see what a channel does.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace hmsim {

enum class ChannelCommand : std::uint8_t {
  activate,
  precharge,
  read,
  write,
  refresh,
  refresh_same_bank,  // DDR5's REFsb; `bank` is the number that the banks have in their groups
  power_down_enter,   // of a rank, as the next three
  power_down_exit,
  self_refresh_enter,
  self_refresh_exit,
  data_clock_start,      // LPDDR5's CAS with WS_RD or WS_WR, of a rank
  nvdimm_read_command,   // host to NVDIMM: asks for a line
  nvdimm_write_command,  // host to NVDIMM: announces a line
  nvdimm_flush_command,  // host to NVDIMM: its ack means that all before is durable
  nvdimm_ack,            // NVDIMM to host
  nvdimm_read,           // data burst of an acknowledged command (the grant; `auto`: with the ack)
  nvdimm_write,
  nvdimm_credit,  // NVDIMM to host (nvdimm_p): it can take another write
  last = nvdimm_credit
};

struct CommandRecord {
  Cycle cycle;
  ChannelCommand command;
  int channel;
  int rank;              // the NVDIMM is the rank after the last
  int bank;              // within the rank; -1 where it does not apply
  std::int64_t row;      // DRAM row or LPN; -1 where it does not apply
  std::int64_t request;  // Request::id, -1 for commands of no request (refresh)
};

class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void on_command(const CommandRecord& record) = 0;
};

}  // namespace hmsim

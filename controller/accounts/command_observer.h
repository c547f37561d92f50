// SPDX-License-Identifier: BSD-3-Clause
// Interface through which command logs, timelines and checkers observe a channel's commands.
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
  refresh_same_bank,  // DDR5 REFsb; `bank` is the bank number within each bank group
  power_down_enter,   // rank commands, including the next three
  power_down_exit,
  self_refresh_enter,
  self_refresh_exit,
  data_clock_start,      // LPDDR5 CAS with WS_RD or WS_WR, for a rank
  nvdimm_read_command,   // host to NVDIMM: requests lines
  nvdimm_write_command,  // host to NVDIMM: announces lines
  nvdimm_flush_command,  // host to NVDIMM: its ack means that all earlier writes are durable
  nvdimm_ack,            // NVDIMM to host
  nvdimm_read,           // data burst of an acknowledged command, one for each of its lines (at
                         // the grant; `auto`: the first at the ack)
  nvdimm_write,
  nvdimm_credit,       // NVDIMM to host (nvdimm_p): it can accept another write
  refresh_management,  // DDR5 RFMab, of a rank
  last = refresh_management
};

struct CommandRecord {
  Cycle cycle;
  ChannelCommand command;
  int channel;
  int rank;              // the first NVDIMM is the rank after the last DRAM rank
  int bank;              // within the rank; -1 if not applicable
  std::int64_t row;      // DRAM row or LPN; -1 if not applicable
  std::int64_t request;  // Request::id; -1 for commands without a request (refresh)
  int lines = 1;         // of the request
};

class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void on_command(const CommandRecord& record) = 0;
};

}  // namespace hmsim

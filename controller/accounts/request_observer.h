// SPDX-License-Identifier: BSD-3-Clause
// Interface through which a per-request log observes each completed request.
#pragma once

#include <array>

#include "controller/accounts/latency_split.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

struct RequestRecord {
  const Request& request;
  int channel;
  int rank;      // the first NVDIMM is the rank after the last DRAM rank
  int bank;      // within the rank; NVDIMM: pseudo-bank
  bool row_hit;  // DRAM: no activate was issued for it
  Tick admitted;
  Tick first_command;
  Tick issued;                            // data-bus command
  Tick done;                              // last data beat
  std::array<Tick, kLatencyParts> parts;  // sum: done - request.arrival
  Tick link{0};  // on the link of a port, both ways; the requester waited for it, too
};

class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void on_request(const RequestRecord& record) = 0;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// The hook through which a per-request log sees each request once it is done.
#pragma once

#include <array>

#include "controller/accounts/latency_split.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

struct RequestRecord {
  const Request& request;
  int channel;
  int rank;      // the NVDIMM is the rank after the last
  int bank;      // within the rank; NVDIMM: pseudo-bank
  bool row_hit;  // DRAM: no activate was made for it
  Tick admitted;
  Tick first_command;
  Tick issued;                            // its data-bus command
  Tick done;                              // its last data beat
  std::array<Tick, kLatencyParts> parts;  // add up to done - request.arrival
};

class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void on_request(const RequestRecord& record) = 0;
};

}  // namespace hmsim

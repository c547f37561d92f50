// SPDX-License-Identifier: BSD-3-Clause
// Interface of a port between a channel and its requesters, for the latency of requests.
#pragma once

#include "core/request.h"
#include "core/types.h"

namespace hmsim {

class AnswerPath {
 public:
  virtual ~AnswerPath() = default;
  // Returns the time on the link, in both directions, of a request that the channel ends at `now`.
  virtual Tick link_time(const Request& request, Tick now) const = 0;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// A flush concerns all NVDIMMs: each gets one of its own, and the requester's is done when all are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/request.h"
#include "core/statistics.h"

namespace hmsim {

class FlushJoin final : public Requester {
 public:
  // The last of the requesters is this one itself.
  explicit FlushJoin(const std::vector<Requester*>& requesters) : requesters_(requesters) {}

  // What each NVDIMM is to get: `parts` of them.
  Request begin(const Request& request, std::int64_t parts);
  void on_complete(const Request& part, Tick now) override;

  // Of others, all that are not done.
  void list_outstanding(std::vector<Outstanding>& requests) const;
  void check_outstanding(const Archive& archive,
                         const std::vector<Outstanding>& requests) const override;

  Counter& flushes() { return flushes_; }
  Histogram& latency() { return latency_; }

  void serialize(Archive& archive);

 private:
  struct Flush {
    Request request;
    std::int64_t parts = 0;  // that are not done
    void serialize(Archive& archive) { archive(request, parts); }
  };

  const std::vector<Requester*>& requesters_;
  std::vector<Flush> under_way_;  // by the parts' tag
  std::vector<std::uint32_t> free_;
  Counter flushes_ = 0;
  Histogram latency_;  // picoseconds
};

}  // namespace hmsim

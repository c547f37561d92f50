// SPDX-License-Identifier: BSD-3-Clause
// Interface through which a core reports the loads and prefetches that it sends to memory, as its
// program sees them (tests/cc/simulation/views_test.cc).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace hmsim {

class ApplicationObserver {
 public:
  virtual ~ApplicationObserver() = default;

  // Declares a core: its clock's slots per millisecond, and the slots from the issue of a load to
  // its request (the look-ups of its caches). Called once, before the core's first load.
  virtual void on_core(std::size_t agent, std::int64_t slots_per_millisecond,
                       std::int64_t lookup_slots) = 0;
  // A read that needs a request was issued at `at`. The request will carry the core's index and
  // `tag`. `prefetch`: no load waits for it.
  virtual void on_issue(std::size_t agent, std::uint32_t tag, bool prefetch, Tick at) = 0;
  // Its data can be used from `at` on. Called from within Requester::on_complete().
  virtual void on_usable(std::size_t agent, std::uint32_t tag, Tick at) = 0;
};

}  // namespace hmsim

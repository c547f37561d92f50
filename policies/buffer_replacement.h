// SPDX-License-Identifier: BSD-3-Clause
// Which frame of a part of the synchronisation buffer is given up next. A frame can be given up
// while no command uses it: it is listed when its latest use ends.
#pragma once

#include <cstdint>

#include "core/key_map.h"
#include "policies/policy.h"

namespace hmsim {

class BufferReplacement : public Policy {
 public:
  // True: the frame that has been listed longest goes first, and nothing else is asked. The part
  // keeps that order anyway.
  virtual bool by_recency() const { return false; }

  // Once, before all else: so many frames can be in use at once.
  virtual void connect(std::uint64_t /*capacity*/) {}
  // Frames have numbers below `count` from now on.
  virtual void grow(std::uint32_t /*count*/) {}

  // The frame holds the page or item `key`, and its latest use has ended: it can be given up.
  virtual void listed(std::uint32_t /*frame*/, std::int64_t /*key*/) {}
  // It cannot any more: it is in use again, written back, or guarded.
  virtual void unlisted(std::uint32_t /*frame*/) {}
  // It has lost what it held. Not while it is listed.
  virtual void released(std::uint32_t /*frame*/) {}

  // The listed frame that goes first, and the one after a listed frame; kNoIndex: there is none.
  virtual std::uint32_t victim() const { return kNoIndex; }
  virtual std::uint32_t after(std::uint32_t /*frame*/) const { return kNoIndex; }
};

}  // namespace hmsim

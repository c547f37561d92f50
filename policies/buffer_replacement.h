// SPDX-License-Identifier: BSD-3-Clause
// Chooses which frame of one part of the synchronisation buffer to give up next. A frame is listed,
// and can be given up, when the last command that uses it has ended.
#pragma once

#include <cstdint>

#include "core/key_map.h"
#include "policies/policy.h"

namespace hmsim {

class BufferReplacement : public Policy {
 public:
  // Returns true for plain LRU, which gives up the frame that was listed longest ago. The buffer
  // part maintains that order itself, so it calls no other function of such a policy.
  virtual bool by_recency() const { return false; }

  // Called once, before all other functions. At most `capacity` frames are in use at once.
  virtual void connect(std::uint64_t /*capacity*/) {}
  // Announces that frame numbers are below `count` from now on.
  virtual void grow(std::uint32_t /*count*/) {}

  // Lists the frame, which holds the page or item `key`: its last use has ended, so it can be given
  // up.
  virtual void listed(std::uint32_t /*frame*/, std::int64_t /*key*/) {}
  // Removes the frame from the list, because it is in use again, being written back, or guarded.
  virtual void unlisted(std::uint32_t /*frame*/) {}
  // Reports that the frame lost its contents. Never called for a listed frame.
  virtual void released(std::uint32_t /*frame*/) {}

  // victim() returns the listed frame to give up first; after() returns the one after a listed
  // frame. Both return kNoIndex without such a frame.
  virtual std::uint32_t victim() const { return kNoIndex; }
  virtual std::uint32_t after(std::uint32_t /*frame*/) const { return kNoIndex; }
};

}  // namespace hmsim

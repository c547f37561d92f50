// SPDX-License-Identifier: BSD-3-Clause
// Which frame of a part of the synchronisation buffer is given up next. A frame can be given up
// while no command uses it; every use ends with listed().
#pragma once

#include <cstdint>

#include "core/key_map.h"
#include "policies/policy.h"

namespace hmsim {

class BufferReplacement : public Policy {
 public:
  // Once, before all else: so many frames can be in use at once.
  virtual void connect(std::uint64_t capacity) = 0;
  // Frames have numbers below `count` from now on.
  virtual void grow(std::uint32_t count) = 0;

  // The frame holds the page or item `key` and has come out of use: it can be given up.
  virtual void listed(std::uint32_t frame, std::int64_t key) = 0;
  // It cannot any more: it is in use again, written back, or protected.
  virtual void unlisted(std::uint32_t frame) = 0;
  // It has lost what it held.
  virtual void released(std::uint32_t /*frame*/) {}

  // The frame to be given up first, and the one after a listed frame; kNoIndex: there is none.
  virtual std::uint32_t victim() const = 0;
  virtual std::uint32_t after(std::uint32_t frame) const = 0;
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Something that holds back requests which arrived after a flush.
#pragma once

#include "core/types.h"

namespace hmsim {

class FlushGate {
 public:
  virtual ~FlushGate() = default;
  // Reports that the flush whose part was answered here is done on all its channels, so that the
  // requests after it may proceed.
  virtual void pass_flush(Tick /*now*/) {}
};

}  // namespace hmsim

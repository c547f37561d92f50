// SPDX-License-Identifier: BSD-3-Clause
// Decides which open block of a LUN takes a written page. Pages of one stream share blocks, so a
// policy that separates pages by their next overwrite leaves victims with fewer valid pages. The
// LUN is not the policy's choice.
//
// The FTL calls no function of a policy with one stream except connect(). A power failure loses the
// policy's tables and the streams of blocks: connect() is called again, and blocks count as of
// stream 0.
#pragma once

#include <cstdint>

#include "policies/policy.h"

namespace hmsim {

inline constexpr std::uint32_t kMostStreams = 64;
// Stream of the separate open block for copies of garbage collection.
inline constexpr std::uint32_t kCopyStream = kMostStreams;

struct PlacementShape {
  std::uint64_t pages = 0;    // logical, 4 KiB each; pages are numbered from 0
  std::uint32_t streams = 1;  // nvdimm.ftl.streams; hbf.streams
  std::uint32_t parts = 1;    // pages that one program writes
};

// A page that the host wrote and that leaves for flash.
struct HostWrite {
  std::uint64_t page = 0;
  std::uint32_t handle = 0;  // placement handle that the writer gave; 0 by default
  std::uint64_t time = 0;    // pages of the host that left for flash before
};

// A valid page that garbage collection copies. Copies of wear levelling are not placed, whatever
// the policy returns for them.
struct CopiedPage {
  std::uint64_t page = 0;
  std::uint32_t stream = 0;  // of the block that is collected; may be kCopyStream
  std::uint64_t time = 0;    // as in HostWrite
};

class PagePlacement : public Policy {
 public:
  // Called before all other functions, and again after a power failure: forgets everything.
  virtual void connect(const PlacementShape& /*shape*/) {}
  // Returns the stream of a page, below shape.streams. Called any number of times for pages that
  // may be written next. Pages with the same stream leave together in one program.
  virtual std::uint32_t host(const HostWrite& write) const = 0;
  // Notes that the page leaves, after host() has decided on its stream.
  virtual void on_write(const HostWrite& /*write*/) {}
  // Returns the stream of a copy: one of the host's, or kCopyStream.
  virtual std::uint32_t copy(const CopiedPage& /*page*/) const { return kCopyStream; }
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// A command of a flash array, from its submission to its end.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/types.h"
#include "nvdimm/nand/flash_requester.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

struct FlashNode {
  FlashCommand command;
  PhysicalPage place;
  std::uint32_t next = kNoIndex;    // next in a queue, or the operation's next plane
  std::uint32_t behind = kNoIndex;  // first plane of an operation: the next held operation
  std::uint32_t sharer = kNoIndex;  // next read that shares the sense of its page
  std::int64_t page = -1;           // flash page whose sense other reads may share; -1: none
  PartMask wanted = 0;              // with `page`: parts that this sense brings to the controller
  bool sensing = false;             // its LUN has begun the read
  bool shared = false;              // its page was sensed for another read
  bool jumps = false;               // its transfer needs a column change first
  std::uint32_t overtaken = 0;      // reads that overtook it while it was suspended
  bool cached = false;              // a read that was sent while another page was in the register
  Tick locked_before{0};            // total lock time of its LUN at the submission

  void serialize(Archive& archive) {
    archive(command, place, next, sharer, page, wanted, sensing, shared, jumps, overtaken, cached,
            locked_before);
  }
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Reads that share the sense of a flash page.
//
// The cells bring a whole flash page to their register. Reads of its parts (4 KiB each) therefore
// need one sense together, and a transfer each. A read joins the sense of another read of its page:
//   - which waits for its LUN: both begin together
//   - whose command is sent, whose page is sensed, in the register or on the bus: its transfer
//     follows the others
// A sense brings each part once, so reads of a popular page cannot keep a LUN for themselves. A
// read does not join one of lower priority that still waits. Collections sense for themselves.
//
// With nvdimm.nand.register_hits the page stays in the register after its last transfer, until the
// LUN's next operation, and reads of it need no sense.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/pool.h"
#include "core/slot_claims.h"
#include "core/types.h"
#include "nvdimm/nand/flash_geometry.h"
#include "nvdimm/nand/flash_node.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class PageSenses {
 public:
  enum class Join : std::uint8_t { none, waiting, sensing };

  // `at` and `nodes` must outlive the object.
  PageSenses(const NandParameters& nand, const FlashGeometry& at, Pool<FlashNode>& nodes);

  // Returns whether any read can do without a sense of its own.
  bool on() const { return on_; }

  // Decides about a submitted read. waiting: it now hangs on a read that waits, and begins
  // with it. sensing: call add() after it has begun. none: others may hang on it from now on.
  Join submit(std::uint32_t node);
  // The read begins at its place. Others may join from now on. Returns the reads that hung on it,
  // linked by FlashNode::sharer.
  std::uint32_t begin(std::uint32_t node);
  // Returns the reads that hung on a read that is withdrawn.
  std::uint32_t withdraw(std::uint32_t node);
  // Returns whether the waiting read would share the sense of `begun`.
  bool same_page(std::uint32_t waiting, std::uint32_t begun) const;
  // Adds a read that has begun to the sense of its page.
  void add(std::uint32_t node);
  // The part of `node` has crossed the bus. Returns the node whose part is next: of the same page,
  // of the operation's next plane, or kNoIndex.
  std::uint32_t after(std::uint32_t node);

  // Return or forget what the registers hold, with nvdimm.nand.register_hits.
  bool in_register(std::uint32_t node);
  void overwrite(std::uint32_t lun) {
    if (!registers_.empty()) {
      forget(lun);
    }
  }

  void serialize(Archive& archive) { archive.fixed(registers_); }
  // When loading: claims the reads that share a sense, and finds the pages again.
  void load(const Archive& archive, SlotClaims& nodes);

 private:
  static bool may_share(const FlashCommand& command);
  PartMask parts(const FlashNode& node, PhysicalPage place) const {
    return node.command.parts != 0 ? node.command.parts : at_.part_of(place);
  }
  std::int64_t page_of(PhysicalPage place) const { return place.value() >> at_.part_bits; }
  std::size_t register_of(PhysicalPage place) const {
    return at_.lun_of(place) * at_.planes + at_.plane_of(place);
  }
  void forget(std::uint32_t lun);
  void open(std::uint32_t node, std::int64_t page, PartMask parts);
  void close(std::uint32_t node);
  void append(std::uint32_t head, std::uint32_t node, PartMask parts);

  const bool on_;
  const FlashGeometry& at_;
  Pool<FlashNode>& nodes_;
  KeyMap of_page_;                       // read whose FlashNode::page it is
  std::vector<std::int64_t> registers_;  // flash page by LUN and plane, or -1; empty: not kept
};

}  // namespace hmsim

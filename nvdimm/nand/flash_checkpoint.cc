// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the flash array.
#include <algorithm>

#include "core/slot_claims.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

void FlashArray::serialize(Archive& archive) {
  archive.section("flash");
  archive(nodes_);
  serialize_requesters(archive);
  archive.fixed(luns_, channels_);
  connect_luns();
  archive(programmed_, locks_, failures_, events_, firmware_);
  SlotClaims nodes(archive, nodes_.size(), "flash command that is free, or in two places");
  nodes_.claim_free(nodes);
  for (Lun& lun : luns_) {
    for (SlotChain& queue : lun.queues) {
      serialize_slots(archive, queue, links_of(nodes_.data(), &Node::next), nodes_.size(),
                      [&nodes](std::uint32_t node) { nodes.claim(node); });
    }
    serialize_slots(archive, lun.held, links_of(nodes_.data(), &Node::behind), nodes_.size(),
                    [](std::uint32_t) {});
  }
  if (archive.loading()) {
    check_operations(archive, nodes);
    check_bounds(archive);
  }
}

void FlashArray::serialize_requesters(Archive& archive) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    FlashRequester*& requester = nodes_[node].command.requester;
    const auto place = std::find(requesters_.begin(), requesters_.end(), requester);
    auto number = static_cast<std::size_t>(place - requesters_.begin());
    archive(number);
    archive.check_index(number, requesters_.size(), "flash command without a requester");
    if (archive.loading()) {
      requester = requesters_[number];
    }
  }
}

// Checks that loaded indexes are in range for this array.
void FlashArray::check_bounds(const Archive& archive) const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    archive.check_index(node.command.lun, luns_.size(), "flash command without a LUN");
    archive.check(node.command.parts >> (1u << at_.part_bits) == 0,
                  "flash command that moves a part that its page lacks");
    archive.check_index(at_.superblock_of(node.place), programmed_.superblocks(),
                        "flash command on an invalid page");
  }
  for (const Channel& channel : channels_) {
    for (const Ring<std::uint32_t>* queue : {&channel.commands, &channel.transfers}) {
      queue->each([&](std::uint32_t lun) {
        archive.check_index(lun, luns_.size(), "flash channel in demand without a LUN");
      });
    }
  }
  // The statistics must agree with the number of busy LUNs and buses.
  const auto busy = [](const Lun& lun) { return lun.counted; };
  const auto taken = [](const Channel& channel) { return channel.owner != kNoIndex; };
  archive.check(statistics_.busy_luns.value() == std::count_if(luns_.begin(), luns_.end(), busy) &&
                    statistics_.busy_buses.value() ==
                        std::count_if(channels_.begin(), channels_.end(), taken),
                "wrong count of busy LUNs or buses");
}

// Checks that chains of planes end and that each node is in exactly one of: a chain, a queue,
// decoding. No node can then affect another one's operation.
void FlashArray::check_operations(const Archive& archive, SlotClaims& nodes) const {
  const auto next = [this](std::uint32_t node) { return nodes_[node].next; };
  for (const Lun& lun : luns_) {
    for (const std::uint32_t first : {lun.io, lun.pending, lun.array, lun.suspended}) {
      nodes.chain(first, next);
    }
    for (std::uint32_t i = lun.held.first; i != kNoIndex; i = nodes_[i].behind) {
      nodes.chain(i, next);
    }
    bool found = lun.io == kNoIndex;
    for (std::uint32_t i = lun.io; i != kNoIndex; i = nodes_[i].next) {
      found = found || i == lun.plane;
    }
    archive.check(found && lun.repeats < at_.planes, "flash operation without a plane");
  }
  events_.each([&](const auto& event) {
    if (event.kind == EventKind::decoded) {
      nodes.claim(event.payload);
    } else {
      archive.check_index(event.payload, luns_.size(), "flash event without a LUN");
    }
  });
}

}  // namespace hmsim

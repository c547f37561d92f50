// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the flash array.
#include <algorithm>

#include "core/places.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

using O = FlashOperation;

}  // namespace

void FlashArray::serialize(Archive& archive) {
  archive.section("flash");
  archive(nodes_);
  serialize_requesters(archive);
  archive.fixed(luns_, channels_, programmed_);
  archive(failures_, events_, blocked_, blocked_since_);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

void FlashArray::serialize_requesters(Archive& archive) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    FlashRequester*& requester = nodes_[node].command.requester;
    const auto place = std::find(requesters_.begin(), requesters_.end(), requester);
    auto number = static_cast<std::size_t>(place - requesters_.begin());
    archive(number);
    archive.check_index(number, requesters_.size(), "a flash command is nobody's");
    if (archive.loading()) {
      requester = requesters_[number];
    }
    archive.check(nodes_[node].command.parts >> (1u << at_.part_bits) == 0,
                  "a flash command moves a part that a page has not");
  }
}

// Every node is free, queued, part of one operation of its LUN, or being decoded.
void FlashArray::check_loaded(const Archive& archive) const {
  for (const std::uint32_t pages : programmed_) {
    archive.check(pages <= at_.superblock_pages, "a flash block holds more pages than it has");
  }
  Places nodes(archive, nodes_.size(), "flash commands do not hold together");
  nodes_.take_free(nodes);
  std::uint32_t blocked = 0;
  for (std::uint32_t lun = 0; lun < luns_.size(); ++lun) {
    check_lun(archive, lun, nodes);
    blocked += luns_[lun].locked ? luns_[lun].waiting : 0;
  }
  check_events(archive, nodes);
  archive.check(nodes.all(), "flash commands were lost");
  archive.check(blocked == blocked_, "the count of blocked flash commands is wrong");
  const auto busy = [](const Lun& lun) { return lun.counted; };
  const auto taken = [](const Channel& channel) { return channel.owner != kNoIndex; };
  archive.check(statistics_.busy_luns.value() == std::count_if(luns_.begin(), luns_.end(), busy) &&
                    statistics_.busy_buses.value() ==
                        std::count_if(channels_.begin(), channels_.end(), taken),
                "the count of busy LUNs or buses is wrong");
}

void FlashArray::check_lun(const Archive& archive, std::uint32_t lun, Places& nodes) const {
  const Lun& state = luns_[lun];
  std::uint32_t waiting = 0;
  for (std::size_t priority = 0; priority < kFlashPriorities; ++priority) {
    const SlotChain& queue = state.queues[priority];
    queue.take_all(links_of(nodes_.data(), &Node::next), nodes, [&](std::uint32_t i) {
      const FlashCommand& command = nodes_[i].command;
      archive.check(command.lun == lun && static_cast<std::size_t>(command.priority) == priority,
                    "a flash command waits in the wrong queue");
      waiting += command.priority == FlashPriority::collection ? 0 : 1;
    });
    // Whatever can begin has begun.
    archive.check(queue.empty() || !empty(state) ||
                      (state.locked && priority != std::size_t(FlashPriority::collection)),
                  "a flash command waits for nothing");
  }
  archive.check(waiting == state.waiting, "the count of waiting flash commands is wrong");
  for (const std::uint32_t first : {state.io, state.pending, state.array, state.suspended}) {
    check_operation(archive, lun, first, nodes);
  }
  std::uint32_t last = kNoIndex;
  for (std::uint32_t i = state.held.first; i != kNoIndex; i = nodes_[i].behind) {
    check_operation(archive, lun, i, nodes);
    last = i;
  }
  archive.check(state.held.empty() || state.held.last == last, "a flash queue has another end");
  archive.check(state.pending == kNoIndex || state.array != kNoIndex,
                "a flash operation waits for nothing");
  archive.check(state.io != kNoIndex || state.held.empty(), "flash data wait for nothing");
  archive.check(state.counted == !empty(state), "a LUN is busy with nothing");
  archive.check(Tick(0) <= state.remaining && state.remaining < kNever &&
                    Tick(0) <= state.locked_for && state.locked_for < kNever,
                "a time of a LUN is none");
  if (state.io == kNoIndex) {
    return;
  }
  bool found = false;
  for (std::uint32_t i = state.io; i != kNoIndex; i = nodes_[i].next) {
    found = found || i == state.plane;
  }
  const bool output = state.phase == Phase::output_gap || state.phase == Phase::output;
  const FlashCommand& command = nodes_[state.io].command;
  archive.check(found && state.repeats < at_.planes &&
                    (!output || (command.operation == O::read && state.plane == state.io)),
                "a flash operation is in no stage");
}

// Its planes, one at least if there is one.
void FlashArray::check_operation(const Archive& archive, std::uint32_t lun, std::uint32_t first,
                                 Places& nodes) const {
  std::uint32_t planes = 0;
  nodes.chain(first, [&](std::uint32_t i) {
    check_begun(archive, lun, i);
    archive.check(nodes_[i].command.operation == nodes_[first].command.operation &&
                      nodes_[i].command.transfer == nodes_[first].command.transfer,
                  "the planes of a flash operation differ");
    ++planes;
    return nodes_[i].next;
  });
  archive.check(planes <= at_.planes, "a flash operation has too many planes");
}

void FlashArray::check_begun(const Archive& archive, std::uint32_t lun, std::uint32_t node) const {
  const Node& own = nodes_[node];
  archive.check(own.command.lun == lun && own.place >= PhysicalPage(0) &&
                    at_.superblock_of(own.place) < programmed_.size() &&
                    at_.lun_of(own.place) == lun,
                "a flash command works on another LUN");
}

// What has a stage of its own has one event to end it, or waits for its bus.
void FlashArray::check_events(const Archive& archive, Places& nodes) const {
  std::vector<bool> cells(luns_.size());
  std::vector<bool> ready(luns_.size());
  Places stages(archive, luns_.size(), "stages of flash operations do not hold together");
  std::vector<bool> on_bus(luns_.size());
  events_.each([&](const auto& event) {
    if (event.kind == EventKind::decoded) {
      nodes.take(event.payload);
      const FlashCommand& command = nodes_[event.payload].command;
      archive.check(command.lun < luns_.size() && command.operation == O::read,
                    "a flash command is decoded that reads nothing");
      check_begun(archive, command.lun, event.payload);
      return;
    }
    archive.check(event.payload < luns_.size(), "a flash event is of no LUN");
    const Lun& state = luns_[event.payload];
    if (event.kind == EventKind::io_end) {
      stages.take(event.payload);
      on_bus[event.payload] = state.phase != Phase::plane_gap && state.phase != Phase::output_gap;
    } else if (event.kind == EventKind::cells_end) {
      cells[event.payload] = cells[event.payload] || event.time == state.array_end;
    } else {
      ready[event.payload] = ready[event.payload] || event.time == state.ready;
    }
  });
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    check_channel(archive, i, on_bus, stages);
  }
  for (std::size_t lun = 0; lun < luns_.size(); ++lun) {
    const Lun& state = luns_[lun];
    archive.check(stages.has(lun) == (state.io != kNoIndex) &&
                      (state.array == kNoIndex || cells[lun]) &&
                      (state.suspended == kNoIndex || state.array != kNoIndex ||
                       state.io != kNoIndex || ready[lun]),
                  "a flash operation has no end");
  }
}

// Who waits for the bus waits in one queue; the bus is somebody's who will give it back.
void FlashArray::check_channel(const Archive& archive, std::size_t number,
                               const std::vector<bool>& on_bus, Places& stages) const {
  const Channel& channel = channels_[number];
  for (const Ring<std::uint32_t>* queue : {&channel.commands, &channel.transfers}) {
    queue->each([&](std::uint32_t lun) {
      stages.take(lun);
      archive.check(lun / at_.luns_per_channel == number && channel.owner != kNoIndex,
                    "a LUN waits for the wrong flash channel");
    });
  }
  bool given_back = channel.owner == kNoIndex;
  for (std::uint32_t i = 0; i < at_.luns_per_channel; ++i) {
    const auto lun = static_cast<std::uint32_t>(number * at_.luns_per_channel + i);
    const bool owns = channel.owner == lun;
    archive.check(!on_bus[lun] || owns, "a LUN is on a bus that it does not have");
    given_back = given_back || (owns && (on_bus[lun] || holds_bus(luns_[lun])));
  }
  archive.check(given_back, "a flash channel is taken for nothing");
}

bool FlashArray::holds_bus(const Lun& lun) const {
  for (const std::uint32_t first : {lun.io, lun.pending, lun.array, lun.held.first}) {
    if (first != kNoIndex && nodes_[first].command.hold_bus) {
      return true;
    }
  }
  return false;
}

}  // namespace hmsim

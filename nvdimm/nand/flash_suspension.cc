// SPDX-License-Identifier: BSD-3-Clause
// Suspension: reads that the host waits for overtake programs and erases.
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

// Returns whether the first read that the host waits for may overtake the operation.
bool FlashArray::may_overtake(std::uint32_t lun, std::uint32_t operation) {
  const SlotChain& queue = luns_[lun].queues[static_cast<std::size_t>(FlashPriority::demand)];
  if (queue.empty() || nodes_[operation].overtaken >= suspend_.limit ||
      nodes_[queue.first].command.operation != O::read) {
    return false;
  }
  const FlashCommand& next = nodes_[queue.first].command;
  const PhysicalPage place = next.requester->next_flash_place(next);
  return place != kNowhere &&
         at_.superblock_of(place) != at_.superblock_of(nodes_[operation].place);
}

bool FlashArray::may_suspend(std::uint32_t lun, Tick now) {
  const Lun& state = luns_[lun];
  if (state.array == kNoIndex || state.pending != kNoIndex ||
      state.array_end - now <= suspend_.suspend_time) {
    return false;
  }
  const FlashCommand& command = nodes_[state.array].command;
  const bool wanted =
      (command.operation == O::erase && suspend_.mode != SuspendMode::program) ||
      (command.operation == O::program && suspend_.mode != SuspendMode::erase && !command.hold_bus);
  return wanted && may_overtake(lun, state.array);
}

void FlashArray::suspend(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  state.suspended = state.array;
  state.array = kNoIndex;
  state.remaining = state.array_end - now;
  state.ready = now + suspend_.suspend_time;
  ++statistics_.suspensions;
  statistics_.gc_suspensions +=
      nodes_[state.suspended].command.priority == FlashPriority::collection ? 1 : 0;
  events_.schedule(state.ready, EventKind::ready, lun);
  observe_planes(state.suspended, FlashStage::suspend, now, state.ready);
}

void FlashArray::serve_suspended(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  if (now < state.ready || state.array != kNoIndex) {
    return;
  }
  const std::uint32_t operation = state.suspended;
  while (may_overtake(lun, operation)) {
    if (start(lun, state.queues[static_cast<std::size_t>(FlashPriority::demand)], now)) {
      ++nodes_[operation].overtaken;
      return;
    }
  }
  senses_.overwrite(lun);
  state.suspended = kNoIndex;
  state.array = operation;
  state.array_end = now + suspend_.resume_time + state.remaining;
  events_.schedule(state.array_end, EventKind::cells_end, lun);
  observe_planes(operation, FlashStage::resume, now, now + suspend_.resume_time);
}

}  // namespace hmsim

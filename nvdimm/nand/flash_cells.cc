// SPDX-License-Identifier: BSD-3-Clause
// Cell operations: duration, failures, and the next stage of a command.
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

// Returns the cell time of a read with its repetitions, which are drawn here.
Tick FlashArray::read_time(PhysicalPage place) {
  const Tick once = timing_.reads_alike() ? timing_.read(0, 0)
                    : slc_ && client_.cell_state(place).one_bit
                        ? timing_.slc_read(at_.block_of(place), at_.page_of(place))
                        : timing_.read(at_.block_of(place), at_.page_of(place));
  const std::int64_t retries = failures_.retries([&] { return client_.cell_state(place).erases; });
  statistics_.read_retries += static_cast<Counter>(retries);
  return (1 + retries) * once;
}

Tick FlashArray::cell_time(std::uint32_t node) {
  Tick longest{0};
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    const PhysicalPage place = nodes_[i].place;
    const std::uint64_t block = at_.block_of(place);
    switch (nodes_[i].command.operation) {
      case O::read:
        longest = later(longest, read_time(place));
        break;
      case O::program:
        longest = later(longest, slc_ && client_.cell_state(place).one_bit
                                     ? timing_.slc_program(block, at_.page_of(place))
                                     : timing_.program(block, at_.page_of(place)));
        break;
      case O::erase:
        for (std::uint32_t plane = 0; plane < at_.planes; ++plane) {
          const Tick one = timing_.erase(block + plane);
          longest = multi_plane_ ? later(longest, one) : longest + one;
        }
        break;
    }
  }
  return longest;
}

void FlashArray::count_cells(std::uint32_t node, Tick duration) {
  Counter planes = 0;
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    ++planes;
  }
  const auto time = static_cast<Counter>(duration.value());
  const FlashOperation operation = nodes_[node].command.operation;
  if (operation == O::erase) {
    statistics_.erase_cells_ps += multi_plane_ ? at_.planes * time : time;
  } else {
    (operation == O::read ? statistics_.read_cells_ps : statistics_.program_cells_ps) +=
        planes * time;
  }
}

// Draws whether the cells failed in a program or an erase that is done.
void FlashArray::fail(std::uint32_t node, Tick now) {
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    FlashCommand& command = nodes_[i].command;
    switch (command.operation) {
      case O::read:
        return;
      case O::program:
        command.failed = failures_.program_fails();
        statistics_.program_failures += command.failed ? 1 : 0;
        break;
      case O::erase:
        command.failed =
            failures_.erase_fails([&] { return client_.cell_state(nodes_[i].place).erases; });
        statistics_.erase_failures += command.failed ? 1 : 0;
        break;
    }
    if (command.failed && observers_.any()) {
      observe(i, FlashStage::fail, now, now);
    }
  }
}

void FlashArray::enter_cells(std::uint32_t lun, std::uint32_t node, Tick now) {
  Lun& state = luns_[lun];
  const FlashNode& first = nodes_[node];
  const bool reads = first.command.operation == O::read;
  Tick duration;
  if (reads && first.next == kNoIndex) {
    duration = read_time(first.place);
    statistics_.read_cells_ps += static_cast<Counter>(duration.value());
  } else {
    duration = cell_time(node);
    count_cells(node, duration);
  }
  state.array = node;
  state.array_end = now + duration;
  if (reads) {
    events_.schedule_in(kReadsLane, state.array_end, EventKind::cells_end, lun);
  } else {
    events_.schedule(state.array_end, EventKind::cells_end, lun);
  }
  observe_planes(node, FlashStage::cells, now, state.array_end);
  if (!cache_) {
    return;
  }
  state.ready = now + cache_busy_;
  if (first.command.operation == O::program || state.suspended != kNoIndex) {
    events_.schedule(state.ready, EventKind::ready, lun);
  }
}

[[gnu::flatten]] void FlashArray::end_cells(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t done = state.array;
  observe_planes(done, FlashStage::done, now, now);
  if (nodes_[done].command.operation != O::read) {
    fail(done, now);
  }
  if (nodes_[done].command.operation == O::erase) {
    programmed_.erase(nodes_[done].place);
  }
  state.array = kNoIndex;
  if (state.pending != kNoIndex) {
    const std::uint32_t next = state.pending;
    state.pending = kNoIndex;
    ++statistics_.cache_operations;
    enter_cells(lun, next, now);
  }
  // The data of a read, or the status of other operations if there is one, follow on the bus.
  const FlashCommand& command = nodes_[done].command;
  if (command.operation == O::read ? command.transfer : timing_.status() != Tick(0)) {
    state.held.push_back(links_of(nodes_.data(), &FlashNode::behind), done);
    proceed(lun, now);
  } else {
    report_all(lun, done, now);
  }
}

void FlashArray::observe(std::uint32_t node, FlashStage stage, Tick start, Tick end, bool more) {
  const FlashNode& own = nodes_[node];
  FlashRecord record{start,
                     end,
                     stage,
                     own.command.operation,
                     own.command.transfer,
                     more,
                     own.command.lun,
                     at_.block_of(own.place),
                     at_.page_of(own.place),
                     own.command.priority,
                     own.command.parts,
                     own.shared,
                     slc_ && client_.cell_state(own.place).one_bit};
  if (own.command.operation != O::erase || stage == FlashStage::status) {
    observers_.notify(&FlashObserver::on_flash, record);
    return;
  }
  // An erase is reported as one erase per plane: all at once, or in turn without multi-plane
  // operations.
  const std::uint64_t first = record.block;
  if (stage == FlashStage::command && multi_plane_) {
    const std::uint32_t repeats = luns_[own.command.lun].repeats;
    record.block = first + (at_.planes - 1 - repeats);
    record.more = repeats > 0;
    observers_.notify(&FlashObserver::on_flash, record);
    return;
  }
  const bool in_turn =
      !multi_plane_ && (stage == FlashStage::command || stage == FlashStage::cells);
  for (std::uint32_t plane = 0; plane < at_.planes; ++plane) {
    record.block = first + plane;
    if (in_turn) {
      const Tick share =
          stage == FlashStage::command ? timing_.erase_command() : timing_.erase(record.block);
      record.start = plane == 0 ? start : record.end;
      record.end = record.start + share;
      record.more = stage == FlashStage::command && plane + 1 < at_.planes;
    }
    observers_.notify(&FlashObserver::on_flash, record);
  }
}

}  // namespace hmsim

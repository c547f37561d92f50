// SPDX-License-Identifier: BSD-3-Clause
// Stages of flash operations: bus, tenures and completion.
#include "core/errors.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kHandover = kNoIndex - 1;  // the bus is between two owners

}  // namespace

HMSIM_INLINE void FlashArray::process(const Events::Event& event) {
  const std::uint32_t lun = event.payload;
  switch (event.kind) {
    case EventKind::io_end:
      end_io(lun, event.time);
      return;
    case EventKind::cells_end:
      // Ignores the stale event of an operation that was suspended meanwhile.
      if (luns_[lun].array != kNoIndex && luns_[lun].array_end == event.time) {
        end_cells(lun, event.time);
      }
      return;
    case EventKind::ready:
      proceed(lun, event.time);
      return;
    case EventKind::decoded: {
      const std::uint32_t node = event.payload;
      const std::uint32_t of = nodes_[node].command.lun;
      report(of, node, event.time);
      proceed(of, event.time);
      return;
    }
  }
}

[[gnu::flatten]] void FlashArray::advance(Tick limit) {
  while (events_.next_time() <= limit) {
    process(events_.pop());
  }
}

// --- The bus

void FlashArray::ask_bus(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  Channel& channel = *state.channel;
  if (channel.owner == kNoIndex) {
    statistics_.busy_buses.set(statistics_.busy_buses.value() + 1, now);
    take_bus(lun, now);
    return;
  }
  if (channel.owner == lun) {
    use_bus(lun, now);
    return;
  }
  state.asked = now;
  state.held_before = channel.hold.total(now);
  const FlashCommand& command = nodes_[state.plane].command;
  const bool moves_data =
      state.phase == Phase::output ||
      (state.phase == Phase::command && command.operation == O::program && command.transfer);
  (moves_data ? channel.transfers : channel.commands).push(lun);
}

void FlashArray::take_bus(std::uint32_t lun, Tick now) {
  const Lun& state = luns_[lun];
  Channel& channel = *state.channel;
  channel.owner = lun;
  if (nodes_[state.plane].command.hold_bus) {
    channel.hold.begin(now);
  }
  use_bus(lun, now);
}

void FlashArray::use_bus(std::uint32_t lun, Tick now) {
  const Lun& state = luns_[lun];
  const FlashCommand& command = nodes_[state.plane].command;
  const Tick end = now + tenure(state);
  if (observers_.any()) {
    const FlashStage stage = state.phase == Phase::output   ? FlashStage::data_out
                             : state.phase == Phase::status ? FlashStage::status
                                                            : FlashStage::command;
    observe(state.plane, stage, now, end, nodes_[state.plane].next != kNoIndex);
  }
  if (state.phase == Phase::output) {
    events_.schedule_in(kOutputsLane, end, EventKind::io_end, lun);
  } else if (state.phase == Phase::command && command.operation == O::read) {
    events_.schedule_in(kCommandsLane, end, EventKind::io_end, lun);
  } else {
    events_.schedule(end, EventKind::io_end, lun);
  }
}

Tick FlashArray::tenure(const Lun& state) const {
  const FlashNode& node = nodes_[state.plane];
  const FlashCommand& command = node.command;
  if (state.phase == Phase::output) {
    return timing_.data_out(command.parts) + (node.jumps ? timing_.change_column() : Tick(0));
  }
  if (state.phase == Phase::status) {
    return timing_.status();
  }
  if (command.operation == O::read) {
    return timing_.read_command();
  }
  if (command.operation == O::program) {
    return timing_.program_command(command.transfer, command.parts);
  }
  return multi_plane_ ? timing_.erase_command() : at_.planes * timing_.erase_command();
}

// Counts the wait of a LUN that now gets the bus. Adds the time for which collections held the bus
// to the waits of the operation's commands.
void FlashArray::count_wait(const Lun& state, Tick now) {
  const BusHold& hold = state.channel->hold;
  statistics_.bus_wait_ps += static_cast<Counter>((now - state.asked).value());
  const Tick held = hold.total(now) - state.held_before;
  if (held == Tick(0) || nodes_[state.io].command.priority == FlashPriority::collection) {
    return;
  }
  for (std::uint32_t plane = state.io; plane != kNoIndex; plane = nodes_[plane].next) {
    for (std::uint32_t i = plane; i != kNoIndex; i = nodes_[i].sharer) {
      nodes_[i].command.gc.add({held, hold.last_end()});
    }
  }
}

void FlashArray::grant_bus(Channel& channel, Tick now) {
  channel.hold.end(now);
  Ring<std::uint32_t>& next = channel.commands.empty() ? channel.transfers : channel.commands;
  if (next.empty()) {
    channel.owner = kNoIndex;
    statistics_.busy_buses.set(statistics_.busy_buses.value() - 1, now);
    return;
  }
  const std::uint32_t other = next.front();
  next.pop();
  ensure(luns_[other].io != kNoIndex, "flash", now, other,
         "bus granted to a LUN that does not wait for it");
  count_wait(luns_[other], now);
  take_bus(other, now);
}

// --- Tenures and gaps

void FlashArray::end_io(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  ensure(state.io != kNoIndex, "flash", now, lun, "end of a stage that never began");
  if (state.phase == Phase::plane_gap || state.phase == Phase::output_gap) {
    state.phase = state.phase == Phase::plane_gap ? Phase::command : Phase::output;
    ask_bus(lun, now);
    return;
  }
  Channel& channel = *state.channel;
  ensure(channel.owner == lun, "flash", now, lun, "LUN without its bus");
  const bool hands_over = !nodes_[state.io].command.hold_bus;
  if (hands_over) {
    channel.owner = kHandover;
  }
  if (state.phase == Phase::output) {
    end_output(lun, now);
  } else if (state.phase == Phase::command) {
    end_command(lun, now);
  } else {
    report_all(lun, state.io, now);
  }
  // Last, so that the LUN's next request also competes.
  if (hands_over) {
    grant_bus(channel, now);
  }
}

void FlashArray::end_output(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t plane = state.io;
  state.plane = senses_.on() ? senses_.after(plane) : nodes_[plane].next;
  state.io = state.plane;
  if (state.plane != kNoIndex) {
    ask_bus(lun, now);
  }
  leave(lun, now);
  const Tick decoded = now + ecc_time_;
  const bool served =
      firmware_.present() && nodes_[plane].command.priority != FlashPriority::collection;
  const Tick available = served ? firmware_.serve(decoded) : decoded;
  if (available == now) {
    report(lun, plane, now);
  } else {
    events_.schedule_in(kDecodedLane, available, EventKind::decoded, plane);
  }
  proceed(lun, now);
}

void FlashArray::end_command(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t plane = state.plane;
  const bool another = nodes_[plane].next != kNoIndex;
  if (another || state.repeats > 0) {
    state.plane = another ? nodes_[plane].next : plane;
    state.repeats -= another ? 0 : 1;
    state.phase = Phase::plane_gap;
    events_.schedule(now + plane_busy_, EventKind::io_end, lun);
  } else {
    const std::uint32_t operation = state.io;
    state.io = kNoIndex;
    if (state.array == kNoIndex) {
      enter_cells(lun, operation, now);
    } else {
      state.pending = operation;
    }
  }
  if (nodes_[plane].command.operation == O::program) {
    const FlashCommand command = nodes_[plane].command;
    state.reporting = true;
    command.requester->on_flash_data_in(command, now);
    state.reporting = false;
  }
  proceed(lun, now);
}

// Sends held data or status to the bus. A page in the register first lets the next read start.
void FlashArray::fetch(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t node = state.held.first;
  const bool reads = nodes_[node].command.operation == O::read;
  if (reads && state.array == kNoIndex && state.suspended == kNoIndex &&
      start_overlapping(lun, node, now)) {
    return;
  }
  state.held.pop_front(links_of(nodes_.data(), &FlashNode::behind));
  state.io = node;
  state.plane = node;
  if (!reads) {
    state.phase = Phase::status;
    ask_bus(lun, now);
  } else if (state.array != kNoIndex || nodes_[node].cached) {
    statistics_.cache_operations += state.array != kNoIndex ? 1 : 0;
    state.phase = Phase::output_gap;
    events_.schedule(now + cache_busy_, EventKind::io_end, lun);
  } else {
    state.phase = Phase::output;
    ask_bus(lun, now);
  }
}

// --- Ends

// Notifies the requester while the LUN still counts as busy, so that commands submitted by it
// compete with those already waiting.
void FlashArray::report(std::uint32_t lun, std::uint32_t node, Tick now) {
  Lun& state = luns_[lun];
  const FlashCommand command = nodes_[node].command;
  if (command.operation == O::read) {
    ++(nodes_[node].shared ? statistics_.shared_reads : statistics_.page_reads);
  } else if (command.operation == O::program) {
    ++statistics_.page_programs;
  } else {
    statistics_.block_erases += at_.planes;
  }
  leave(lun, now);
  state.reporting = true;
  command.requester->on_flash_done(command, now);
  client_.on_flash_served(command, now);
  state.reporting = false;
  nodes_.give_back(node);
}

// Counts the LUN as idle if it has no operation left.
void FlashArray::leave(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  if (state.counted && empty(state)) {
    state.counted = false;
    statistics_.busy_luns.set(statistics_.busy_luns.value() - 1, now);
  }
}

// Reports all planes of an operation whose data have left the register.
void FlashArray::report_all(std::uint32_t lun, std::uint32_t first, Tick now) {
  Lun& state = luns_[lun];
  const bool gives_back =
      nodes_[first].command.hold_bus && nodes_[first].command.operation == O::program;
  if (gives_back) {
    ensure(state.channel->owner == lun, "flash", now, lun, "LUN without its bus");
    state.channel->owner = kHandover;
  }
  if (state.io == first) {
    state.io = kNoIndex;
  }
  for (std::uint32_t i = first; i != kNoIndex;) {
    const std::uint32_t next = nodes_[i].next;
    report(lun, i, now);
    i = next;
  }
  proceed(lun, now);
  if (gives_back) {
    grant_bus(*luns_[lun].channel, now);
  }
}

}  // namespace hmsim

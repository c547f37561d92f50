// SPDX-License-Identifier: BSD-3-Clause
// The stages of flash operations: bus, cells, suspension.
#include <algorithm>

#include "core/errors.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kHandover = kNoIndex - 1;  // a bus between two owners

using O = FlashOperation;

}  // namespace

void FlashArray::advance_one() {
  const auto event = events_.pop();
  const std::uint32_t lun = event.payload;
  switch (event.kind) {
    case EventKind::io_end:
      end_io(lun, event.time);
      return;
    case EventKind::cells_end:
      // The event of an operation that was suspended since is out of date.
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

// --- The bus

void FlashArray::ask_bus(std::uint32_t lun, Tick now) {
  Channel& channel = channel_of(lun);
  const Lun& state = luns_[lun];
  const FlashCommand& command = nodes_[state.plane].command;
  luns_[lun].asked = now;
  if (channel.owner == kNoIndex || channel.owner == lun) {
    take_bus(lun, now);
  } else if (state.phase == Phase::status ||
             (state.phase == Phase::command &&
              !(command.operation == O::program && command.transfer))) {
    channel.commands.push(lun);
  } else {
    channel.transfers.push(lun);
  }
}

void FlashArray::take_bus(std::uint32_t lun, Tick now) {
  Channel& channel = channel_of(lun);
  if (channel.owner == kNoIndex) {
    channel.owner = lun;
    statistics_.busy_buses.set(statistics_.busy_buses.value() + 1, now);
  }
  Lun& state = luns_[lun];
  statistics_.bus_wait_ps += static_cast<Counter>((now - state.asked).value());
  const FlashCommand& command = nodes_[state.plane].command;
  Tick duration = timing_.data_out();
  FlashStage stage = FlashStage::data_out;
  if (state.phase == Phase::status) {
    duration = timing_.status();
    stage = FlashStage::status;
  } else if (state.phase == Phase::command) {
    stage = FlashStage::command;
    switch (command.operation) {
      case O::read:
        duration = timing_.read_command();
        break;
      case O::program:
        duration = timing_.program_command(command.transfer);
        break;
      case O::erase:
        duration = multi_plane_ ? timing_.erase_command() : planes_ * timing_.erase_command();
        break;
    }
  }
  if (observer_ != nullptr) {
    observe(state.plane, stage, now, now + duration, nodes_[state.plane].next != kNoIndex);
  }
  events_.schedule(now + duration, EventKind::io_end, lun);
}

void FlashArray::grant_bus(Channel& channel, Tick now) {
  channel.owner = kNoIndex;
  statistics_.busy_buses.set(statistics_.busy_buses.value() - 1, now);
  Ring<std::uint32_t>& next = channel.commands.empty() ? channel.transfers : channel.commands;
  if (!next.empty()) {
    const std::uint32_t other = next.front();
    next.pop();
    take_bus(other, now);
  }
}

// --- Tenures and gaps

void FlashArray::end_io(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  if (state.phase == Phase::plane_gap || state.phase == Phase::output_gap) {
    state.phase = state.phase == Phase::plane_gap ? Phase::command : Phase::output;
    ask_bus(lun, now);
    return;
  }
  Channel& channel = channel_of(lun);
  ensure(channel.owner == lun, "flash", now, lun, "a LUN lost its bus");
  const bool hands_over = !nodes_[state.io].command.hold_bus;
  if (hands_over) {
    channel.owner = kHandover;
  }
  if (state.phase == Phase::command) {
    end_command(lun, now);
  } else if (state.phase == Phase::status) {
    report_all(lun, state.io, now);
  } else {
    const std::uint32_t plane = state.plane;
    state.plane = nodes_[plane].next;
    state.io = state.plane;
    if (state.plane != kNoIndex) {
      ask_bus(lun, now);
    }
    leave(lun, now);
    if (ecc_time_ == Tick(0)) {
      report(lun, plane, now);
    } else {
      events_.schedule(now + ecc_time_, EventKind::decoded, plane);
    }
    proceed(lun, now);
  }
  // Last, so that what the LUN does next takes part.
  if (hands_over) {
    grant_bus(channel, now);
  }
}

void FlashArray::end_command(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t plane = state.plane;
  const FlashCommand command = nodes_[plane].command;
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
  if (command.operation == O::program) {
    state.reporting = true;
    client_.on_flash_data_in(command, now);
    state.reporting = false;
  }
  proceed(lun, now);
}

// --- Cells

// With the repetitions of reads, drawn here.
Tick FlashArray::cell_time(std::uint32_t node) {
  Tick longest{0};
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    const PhysicalPage place = nodes_[i].place;
    const std::uint64_t block = block_of(place);
    switch (nodes_[i].command.operation) {
      case O::read:
        longest = later(longest, (1 + retries(place)) * timing_.read(block, page_of(place)));
        break;
      case O::program:
        longest = later(longest, timing_.program(block, page_of(place)));
        break;
      case O::erase:
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
          const Tick one = timing_.erase(block + plane);
          longest = multi_plane_ ? later(longest, one) : longest + one;
        }
        break;
    }
  }
  return longest;
}

std::int64_t FlashArray::retries(PhysicalPage place) {
  if (read_retry_ == 0) {
    return 0;
  }
  const std::uint64_t wear = std::min(client_.flash_wear(place), endurance_);
  std::int64_t count = 0;
  while (count < read_retry_limit_ && random_.chance(read_retry_ * wear / endurance_)) {
    ++count;
  }
  statistics_.read_retries += static_cast<Counter>(count);
  return count;
}

void FlashArray::count_cells(std::uint32_t node, Tick duration) {
  Counter planes = 0;
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    ++planes;
  }
  const auto time = static_cast<Counter>(duration.value());
  switch (nodes_[node].command.operation) {
    case O::read:
      statistics_.read_cells_ps += planes * time;
      break;
    case O::program:
      statistics_.program_cells_ps += planes * time;
      break;
    case O::erase:
      statistics_.erase_cells_ps += multi_plane_ ? planes_ * time : time;
      break;
  }
}

// Whether the cells have failed, of a program or an erase that is done.
void FlashArray::fail(std::uint32_t node, Tick now) {
  for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
    FlashCommand& command = nodes_[i].command;
    switch (command.operation) {
      case O::read:
        return;
      case O::program:
        command.failed = program_failure_ != 0 && random_.chance(program_failure_);
        statistics_.program_failures += command.failed ? 1 : 0;
        break;
      case O::erase:
        command.failed = wear_failure_ != 0 && client_.flash_wear(nodes_[i].place) >= endurance_ &&
                         random_.chance(wear_failure_);
        statistics_.erase_failures += command.failed ? 1 : 0;
        break;
    }
    if (command.failed && observer_ != nullptr) {
      observe(i, FlashStage::fail, now, now);
    }
  }
}

void FlashArray::enter_cells(std::uint32_t lun, std::uint32_t node, Tick now) {
  Lun& state = luns_[lun];
  const Tick duration = cell_time(node);
  count_cells(node, duration);
  state.array = node;
  state.array_end = now + duration;
  events_.schedule(state.array_end, EventKind::cells_end, lun);
  if (observer_ != nullptr) {
    for (std::uint32_t i = node; i != kNoIndex; i = nodes_[i].next) {
      observe(i, FlashStage::cells, now, state.array_end);
    }
  }
  if (!cache_) {
    return;
  }
  state.ready = now + cache_busy_;
  if (nodes_[node].command.operation == O::program) {
    events_.schedule(state.ready, EventKind::ready, lun);
  }
}

// Once its cells are done: the data of a read, the status of others where there is one.
bool FlashArray::is_fetched(std::uint32_t node) const {
  const FlashCommand& command = nodes_[node].command;
  return command.operation == O::read ? command.transfer : timing_.status() != Tick(0);
}

void FlashArray::end_cells(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t done = state.array;
  if (observer_ != nullptr) {
    for (std::uint32_t i = done; i != kNoIndex; i = nodes_[i].next) {
      observe(i, FlashStage::done, now, now);
    }
  }
  fail(done, now);
  if (nodes_[done].command.operation == O::erase) {
    programmed_[superblock_of(nodes_[done].place)] = 0;
  }
  state.array = kNoIndex;
  if (state.pending != kNoIndex) {
    const std::uint32_t next = state.pending;
    state.pending = kNoIndex;
    ++statistics_.cache_operations;
    enter_cells(lun, next, now);
  }
  if (is_fetched(done)) {
    (state.held.first == kNoIndex ? state.held.first : nodes_[state.held.last].behind) = done;
    state.held.last = done;
    proceed(lun, now);
  } else {
    report_all(lun, done, now);
  }
}

// What is held goes on to the bus. A page in the register first makes way for the next read.
void FlashArray::fetch(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t node = state.held.first;
  const bool reads = nodes_[node].command.operation == O::read;
  if (reads && state.array == kNoIndex && state.suspended == kNoIndex &&
      start_overlapping(lun, node, now)) {
    return;
  }
  state.held.first = nodes_[node].behind;
  nodes_[node].behind = kNoIndex;
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

// The client is told while the LUN still counts as busy, so that what it submits is weighed against
// what already waits.
void FlashArray::report(std::uint32_t lun, std::uint32_t node, Tick now) {
  Lun& state = luns_[lun];
  const FlashCommand command = nodes_[node].command;
  switch (command.operation) {
    case O::read:
      ++statistics_.page_reads;
      break;
    case O::program:
      ++statistics_.page_programs;
      break;
    case O::erase:
      statistics_.block_erases += planes_;
      break;
  }
  leave(lun, now);
  state.reporting = true;
  client_.on_flash_done(command, now);
  state.reporting = false;
  release(node);
}

// The LUN may have nothing in hand any more.
void FlashArray::leave(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  if (state.counted && empty(state)) {
    state.counted = false;
    statistics_.busy_luns.set(statistics_.busy_luns.value() - 1, now);
  }
}

// Of an operation that holds no plane's data any more.
void FlashArray::report_all(std::uint32_t lun, std::uint32_t first, Tick now) {
  Lun& state = luns_[lun];
  const bool gives_back =
      nodes_[first].command.hold_bus && nodes_[first].command.operation == O::program;
  if (gives_back) {
    ensure(channel_of(lun).owner == lun, "flash", now, lun, "a LUN lost its bus");
    channel_of(lun).owner = kHandover;
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
    grant_bus(channel_of(lun), now);
  }
}

// --- Suspension

// The first read that the host waits for may go ahead of the operation.
bool FlashArray::goes_ahead(std::uint32_t lun, std::uint32_t operation) {
  const List& queue = luns_[lun].queues[static_cast<std::size_t>(FlashPriority::demand)];
  if (queue.first == kNoIndex || nodes_[operation].overtaken >= suspend_limit_ ||
      nodes_[queue.first].command.operation != O::read) {
    return false;
  }
  const PhysicalPage place = client_.next_flash_place(nodes_[queue.first].command);
  return place != kNowhere && superblock_of(place) != superblock_of(nodes_[operation].place);
}

bool FlashArray::may_suspend(std::uint32_t lun, Tick now) {
  const Lun& state = luns_[lun];
  if (suspend_ == SuspendMode::none || state.array == kNoIndex || state.pending != kNoIndex ||
      state.array_end - now <= suspend_time_) {
    return false;
  }
  const FlashCommand& command = nodes_[state.array].command;
  const bool wanted =
      (command.operation == O::erase && suspend_ != SuspendMode::program) ||
      (command.operation == O::program && suspend_ != SuspendMode::erase && !command.hold_bus);
  return wanted && goes_ahead(lun, state.array);
}

void FlashArray::suspend(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  state.suspended = state.array;
  state.array = kNoIndex;
  state.remaining = state.array_end - now;
  state.ready = now + suspend_time_;
  ++statistics_.suspensions;
  statistics_.gc_suspensions +=
      nodes_[state.suspended].command.priority == FlashPriority::collection ? 1 : 0;
  events_.schedule(state.ready, EventKind::ready, lun);
  if (observer_ != nullptr) {
    for (std::uint32_t i = state.suspended; i != kNoIndex; i = nodes_[i].next) {
      observe(i, FlashStage::suspend, now, state.ready);
    }
  }
}

void FlashArray::serve_suspended(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  if (now < state.ready || state.array != kNoIndex) {
    return;
  }
  const std::uint32_t operation = state.suspended;
  while (goes_ahead(lun, operation)) {
    if (start(lun, state.queues[static_cast<std::size_t>(FlashPriority::demand)], now)) {
      ++nodes_[operation].overtaken;
      return;
    }
  }
  state.suspended = kNoIndex;
  state.array = operation;
  state.array_end = now + resume_time_ + state.remaining;
  events_.schedule(state.array_end, EventKind::cells_end, lun);
  if (observer_ != nullptr) {
    for (std::uint32_t i = operation; i != kNoIndex; i = nodes_[i].next) {
      observe(i, FlashStage::resume, now, now + resume_time_);
    }
  }
}

void FlashArray::observe(std::uint32_t node, FlashStage stage, Tick start, Tick end, bool more) {
  const Node& own = nodes_[node];
  FlashRecord record{start,
                     end,
                     stage,
                     own.command.operation,
                     own.command.transfer,
                     more,
                     own.command.lun,
                     block_of(own.place),
                     page_of(own.place)};
  if (own.command.operation != O::erase || stage == FlashStage::status) {
    observer_->on_flash(record);
    return;
  }
  // An erase is seen as its planes' erases: at once, or, without multi-plane operations, in turn.
  const std::uint64_t first = record.block;
  if (stage == FlashStage::command && multi_plane_) {
    const std::uint32_t repeats = luns_[own.command.lun].repeats;
    record.block = first + (planes_ - 1 - repeats);
    record.more = repeats > 0;
    observer_->on_flash(record);
    return;
  }
  const bool in_turn =
      !multi_plane_ && (stage == FlashStage::command || stage == FlashStage::cells);
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    record.block = first + plane;
    if (in_turn) {
      const Tick share =
          stage == FlashStage::command ? timing_.erase_command() : timing_.erase(record.block);
      record.start = plane == 0 ? start : record.end;
      record.end = record.start + share;
      record.more = stage == FlashStage::command && plane + 1 < planes_;
    }
    observer_->on_flash(record);
  }
}

}  // namespace hmsim

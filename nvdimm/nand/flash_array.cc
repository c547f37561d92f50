// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/flash_array.h"

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kHandover = kNoIndex - 1;  // a bus between two owners
constexpr std::int64_t kSpareBytes = 224;          // a 4 KiB page, as in MLC data sheets

Tick transfer_time_of(const NandParameters& nand) {
  const std::int64_t bytes = kPageBytes.value() + (nand.transfer_spare ? kSpareBytes : 0);
  return Tick((bytes * kSecond.value() + nand.bus_rate - 1) / nand.bus_rate);
}

}  // namespace

FlashArray::FlashArray(const NvdimmParameters& parameters, FlashClient& client,
                       NvdimmStatistics& statistics)
    : nand_(parameters.nand),
      transfer_time_(transfer_time_of(parameters.nand)),
      luns_per_channel_(static_cast<std::uint32_t>(nand_.chips * nand_.dies)),
      client_(client),
      statistics_(statistics),
      luns_(static_cast<std::size_t>(parameters.luns())),
      channels_(static_cast<std::size_t>(nand_.channels)) {}

void FlashArray::submit(const FlashCommand& command, Tick now) {
  ++unfinished_;
  if (luns_[command.lun].locked && command.priority != FlashPriority::collection) {
    account(now);
    ++blocked_;
  }
  enqueue(command, now);
  if (luns_[command.lun].running == kNoIndex) {
    start_next(command.lun, now);
  }
}

void FlashArray::enqueue(const FlashCommand& command, Tick now) {
  if (free_nodes_ == kNoIndex) {
    nodes_.push_back({command, kNoIndex, Tick(0)});
    free_nodes_ = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t node = free_nodes_;
  free_nodes_ = nodes_[node].next;
  Lun& lun = luns_[command.lun];
  nodes_[node] = {command, kNoIndex, lun.locked_until(now)};
  lun.waiting += command.priority == FlashPriority::collection ? 0 : 1;
  List& queue = lun.queues[static_cast<std::size_t>(command.priority)];
  (queue.first == kNoIndex ? queue.first : nodes_[queue.last].next) = node;
  queue.last = node;
}

std::uint32_t FlashArray::dequeue(Lun& lun) {
  for (std::size_t priority = 0; priority < kFlashPriorities; ++priority) {
    const bool collection = priority == static_cast<std::size_t>(FlashPriority::collection);
    List& queue = lun.queues[priority];
    if (queue.first == kNoIndex || (lun.locked && !collection)) {
      continue;
    }
    const std::uint32_t node = queue.first;
    queue.first = nodes_[node].next;
    lun.waiting -= collection ? 0 : 1;
    return node;
  }
  return kNoIndex;
}

void FlashArray::start_next(std::uint32_t lun, Tick now) {
  for (;;) {
    const std::uint32_t node = dequeue(luns_[lun]);
    if (node == kNoIndex) {
      break;
    }
    luns_[lun].running = node;
    const Tick blocked = luns_[lun].locked_for - nodes_[node].locked_before;
    if (blocked > Tick(0)) {
      nodes_[node].command.gc.add({blocked, luns_[lun].last_lock.until});
    }
    const FlashCommand command = nodes_[node].command;
    if (client_.on_flash_start(command, now)) {
      statistics_.busy_luns.set(statistics_.busy_luns.value() + 1, now);
      enter(lun, Phase::command, now);
      return;
    }
    luns_[lun].running = kNoIndex;
    nodes_[node].next = free_nodes_;
    free_nodes_ = node;
    --unfinished_;
  }
  if (idle(lun)) {
    client_.on_flash_idle(lun, now);
  }
}

void FlashArray::lock(std::uint32_t lun, Tick now) {
  ensure(!luns_[lun].locked, "flash", now, lun, "a LUN is collected twice at once");
  account(now);
  luns_[lun].locked = true;
  luns_[lun].locked_since = now;
  blocked_ += luns_[lun].waiting;
}

void FlashArray::unlock(std::uint32_t lun, Tick now) {
  account(now);
  luns_[lun].locked_for = luns_[lun].locked_until(now);
  luns_[lun].last_lock = lock_of(lun, now);
  luns_[lun].locked = false;
  blocked_ -= luns_[lun].waiting;
}

bool FlashArray::idle(std::uint32_t lun) const {
  const Lun& state = luns_[lun];
  return state.running == kNoIndex && !state.locked && state.waiting == 0;
}

Tick FlashArray::cell_time(FlashOperation operation) const {
  switch (operation) {
    case FlashOperation::read:
      return nand_.read_time;
    case FlashOperation::program:
      return nand_.program_time;
    case FlashOperation::erase:
      break;
  }
  return nand_.erase_time;
}

void FlashArray::enter(std::uint32_t lun, Phase phase, Tick now) {
  luns_[lun].phase = phase;
  if (phase == Phase::cell) {
    events_.schedule(now + cell_time(running(lun).operation), EventKind::phase_end, lun);
  } else {
    request_bus(lun, now);
  }
}

void FlashArray::request_bus(std::uint32_t lun, Tick now) {
  Channel& channel = channel_of(lun);
  const FlashCommand& command = running(lun);
  if (channel.owner == kNoIndex || channel.owner == lun) {
    take_bus(lun, now);
  } else if (luns_[lun].phase == Phase::command &&
             !(command.operation == FlashOperation::program && command.transfer)) {
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
  const FlashCommand& command = running(lun);
  Tick duration = transfer_time_;
  if (luns_[lun].phase == Phase::command) {
    const bool data = command.operation == FlashOperation::program && command.transfer;
    duration = nand_.command_time + (data ? transfer_time_ : Tick(0));
  }
  events_.schedule(now + duration, EventKind::phase_end, lun);
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

void FlashArray::advance_one() {
  const auto event = events_.pop();
  const std::uint32_t lun = event.payload;
  const FlashCommand command = running(lun);
  const Phase phase = luns_[lun].phase;
  const bool ends_tenancy =
      command.hold_bus ? phase == Phase::cell && command.operation == FlashOperation::program
                       : phase != Phase::cell;
  if (ends_tenancy) {
    ensure(channel_of(lun).owner == lun, "flash", event.time, lun, "a LUN lost its bus");
    channel_of(lun).owner = kHandover;
  }
  if (phase == Phase::command) {
    enter(lun, Phase::cell, event.time);
    if (command.operation == FlashOperation::program) {
      client_.on_flash_data_in(command, event.time);
    }
  } else if (phase == Phase::cell && command.operation == FlashOperation::read &&
             command.transfer) {
    enter(lun, Phase::output, event.time);
  } else {
    finish(lun, event.time);
  }
  // Last, so that what the LUN does next takes part.
  if (ends_tenancy) {
    grant_bus(channel_of(lun), event.time);
  }
}

// The client is told while the LUN still counts as busy, so that what it submits is weighed against
// what already waits.
void FlashArray::finish(std::uint32_t lun, Tick now) {
  const std::uint32_t node = luns_[lun].running;
  const FlashCommand command = nodes_[node].command;
  switch (command.operation) {
    case FlashOperation::read:
      ++statistics_.page_reads;
      break;
    case FlashOperation::program:
      ++statistics_.page_programs;
      break;
    case FlashOperation::erase:
      ++statistics_.block_erases;
      break;
  }
  statistics_.busy_luns.set(statistics_.busy_luns.value() - 1, now);
  client_.on_flash_done(command, now);
  nodes_[node].next = free_nodes_;
  free_nodes_ = node;
  luns_[lun].running = kNoIndex;
  --unfinished_;
  start_next(lun, now);
}

void FlashArray::account(Tick now) {
  statistics_.gc_blocked_ps += static_cast<Counter>((now - blocked_since_).value()) * blocked_;
  blocked_since_ = now;
}

void FlashArray::serialize(Archive& archive) {
  archive.section("flash");
  const std::size_t luns = luns_.size();
  const std::size_t channels = channels_.size();
  archive(nodes_, free_nodes_, luns_, channels_, events_, unfinished_, blocked_, blocked_since_);
  if (luns_.size() != luns || channels_.size() != channels) {
    throw InputError("the checkpoint does not fit this NVDIMM: other flash geometry");
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Queues of the LUNs, and the start of operations. flash_stages.cc has the rest.
#include "nvdimm/nand/flash_array.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

namespace {

constexpr int kJoinWindow = 16;  // waiting reads examined for a multi-plane operation

}  // namespace

FlashArray::FlashArray(const NandParameters& nand, std::int64_t superblocks, FlashClient& client,
                       std::uint64_t seed)
    : timing_(nand, seed),
      at_(nand, superblocks),
      multi_plane_(nand.multi_plane),
      independent_reads_(nand.independent_reads),
      cache_(nand.cache),
      slc_(nand.slc_blocks > 0),
      plane_busy_(nand.plane_busy_time),
      cache_busy_(nand.cache_busy_time),
      suspend_{nand.suspend, nand.suspend_time, nand.resume_time,
               static_cast<std::uint32_t>(nand.suspend_limit)},
      ecc_time_(nand.ecc_time),
      firmware_(nand.firmware),
      energy_(nand.energy),
      client_(client),
      statistics_(nand.luns(), nand.channels),
      senses_(nand, at_, nodes_),
      luns_(static_cast<std::size_t>(nand.luns())),
      channels_(static_cast<std::size_t>(nand.channels)),
      programmed_(at_, superblocks),
      locks_(nand.luns(), statistics_.gc_blocked_ps),
      failures_(nand, seed) {
  connect_luns();
}

void FlashArray::connect_luns() {
  for (std::size_t lun = 0; lun < luns_.size(); ++lun) {
    luns_[lun].channel = &channels_[lun / at_.luns_per_channel];
  }
}

void FlashArray::add_observer(FlashObserver& observer) {
  observers_.add(observer);
  programmed_.report_to(observer);
}

void FlashArray::submit(const FlashCommand& command, Tick now) {
  const std::uint32_t node = nodes_.take();
  nodes_[node].command = command;
  nodes_[node].locked_before = locks_.total(command.lun, now);
  enqueue(node, now);
  proceed(command.lun, now);
}

void FlashArray::enqueue(std::uint32_t node, Tick now) {
  const std::uint32_t lun = nodes_[node].command.lun;
  const FlashPriority priority = nodes_[node].command.priority;
  const PageSenses::Join join = senses_.on() ? senses_.submit(node) : PageSenses::Join::none;
  if (join == PageSenses::Join::sensing) {
    start_along(node, now);
    senses_.add(node);
    return;
  }
  if (priority != FlashPriority::collection) {
    locks_.begin_wait(lun, now);
  }
  if (join == PageSenses::Join::none) {
    luns_[lun].queues[static_cast<std::size_t>(priority)].push_back(
        links_of(nodes_.data(), &FlashNode::next), node);
  }
}

// Begins a command together with another one. It has its place, so it cannot be withdrawn.
void FlashArray::start_along(std::uint32_t node, Tick now) {
  const bool stands = requester_starts(node, now);
  ensure(stands, "flash", now, nodes_[node].command.lun,
         "withdrawal of a command that has its place");
  begin(node, now);
}

// Begins the reads that waited with `node`, which has begun or was withdrawn. Those whose page has
// moved wait again.
void FlashArray::start_sharers(std::uint32_t sharer, std::uint32_t node, Tick now) {
  while (sharer != kNoIndex) {
    const std::uint32_t next = std::exchange(nodes_[sharer].sharer, kNoIndex);
    locks_.end_wait(nodes_[sharer].command.lun, now);
    if (senses_.same_page(sharer, node)) {
      start_along(sharer, now);
      senses_.add(sharer);
    } else {
      enqueue(sharer, now);
    }
    sharer = next;
  }
}

SlotChain* FlashArray::next_queue(std::uint32_t lun) {
  auto& queues = luns_[lun].queues;
  if (locks_.locked(lun)) {
    SlotChain& collection = queues[static_cast<std::size_t>(FlashPriority::collection)];
    return collection.empty() ? nullptr : &collection;
  }
  for (SlotChain& queue : queues) {
    if (!queue.empty()) {
      return &queue;
    }
  }
  return nullptr;
}

// Removes the node after `previous` from the queue; kNoIndex: the first node.
std::uint32_t FlashArray::take(std::uint32_t lun, SlotChain& queue, std::uint32_t previous,
                               Tick now) {
  const std::uint32_t node = queue.take_after(links_of(nodes_.data(), &FlashNode::next), previous);
  nodes_[node].next = kNoIndex;
  if (nodes_[node].command.priority != FlashPriority::collection) {
    locks_.end_wait(lun, now);
  }
  return node;
}

bool FlashArray::takes_program(std::uint32_t lun, bool programs) const {
  const Lun& state = luns_[lun];
  if (locks_.locked(lun) || state.suspended != kNoIndex || empty(state)) {
    return false;
  }
  const auto is_program = [this](std::uint32_t node) {
    return node != kNoIndex && nodes_[node].command.operation == FlashOperation::program;
  };
  if (programs && !is_program(state.io) && !is_program(state.array) && !is_program(state.pending)) {
    return false;
  }
  if (multi_plane_) {
    return locks_.waiting(lun) < at_.planes;
  }
  return cache_ && locks_.waiting(lun) == 0 && state.io == kNoIndex && state.pending == kNoIndex &&
         state.array != kNoIndex &&
         nodes_[state.array].command.operation == FlashOperation::program;
}

// Without multi-plane operations, only a program in the cells leaves room for another.
[[gnu::flatten]] void FlashArray::proceed_without_io(std::uint32_t lun, Tick now) {
  Lun& state = luns_[lun];
  bool room = multi_plane_;
  if (!state.held.empty()) {
    fetch(lun, now);
  } else if (state.suspended != kNoIndex) {
    serve_suspended(lun, now);
    room = room || cache_;  // takes_program() decides
  } else if (state.array == kNoIndex) {
    if (!start_next(lun, now) && idle(lun)) {
      client_.on_flash_idle(lun, now);
    }
  } else if (state.pending == kNoIndex) {
    const bool started = cache_ && state.ready <= now && start_overlapping(lun, state.array, now);
    if (!started && suspend_.mode != SuspendMode::none && may_suspend(lun, now)) {
      suspend(lun, now);
    }
    room = room || (cache_ && state.array != kNoIndex &&
                    nodes_[state.array].command.operation == FlashOperation::program);
  }
  while (room && takes_program(lun)) {
    const std::uint32_t before = nodes_.used();
    client_.on_flash_room(lun, now);
    room = nodes_.used() != before;
  }
}

// Returns the queue whose first command is a cache command that can be sent while the operation
// `with` is in the cells or, for a read, in the register; nullptr if there is none.
SlotChain* FlashArray::overlapping_queue(std::uint32_t lun, std::uint32_t with) {
  SlotChain* const queue = cache_ ? next_queue(lun) : nullptr;
  if (queue == nullptr) {
    return nullptr;
  }
  const FlashCommand& next = nodes_[queue->first].command;
  const FlashCommand& current = nodes_[with].command;
  const bool overlaps = next.operation == current.operation &&
                        next.operation != FlashOperation::erase && next.transfer &&
                        current.transfer && !next.hold_bus && !current.hold_bus &&
                        (next.operation == FlashOperation::program ||
                         luns_[lun].array == kNoIndex || nodes_[with].cached);
  return overlaps ? queue : nullptr;
}

bool FlashArray::start_overlapping(std::uint32_t lun, std::uint32_t with, Tick now) {
  while (SlotChain* const queue = overlapping_queue(lun, with)) {
    if (start(lun, *queue, now)) {
      return true;
    }
  }
  return false;
}

bool FlashArray::start_next(std::uint32_t lun, Tick now) {
  for (;;) {
    SlotChain* queue = next_queue(lun);
    if (queue == nullptr) {
      return false;
    }
    if (start(lun, *queue, now)) {
      return true;
    }
  }
}

// Notifies the requester, including the command's wait for collections.
bool FlashArray::requester_starts(std::uint32_t node, Tick now) {
  FlashCommand& own = nodes_[node].command;
  if (own.priority != FlashPriority::collection) {
    const Tick before = nodes_[node].locked_before;
    if (locks_.total(own.lun, now) > before) {
      own.gc.add(locks_.cost_since(own.lun, before, now));
    }
  }
  const FlashCommand command = own;
  return command.requester->on_flash_start(command, now);
}

// Starts the first command of the queue, unless its requester withdraws it.
bool FlashArray::start(std::uint32_t lun, SlotChain& queue, Tick now) {
  Lun& state = luns_[lun];
  const std::uint32_t node = take(lun, queue, kNoIndex, now);
  state.io = node;
  if (!requester_starts(node, now)) {
    state.io = kNoIndex;
    start_sharers(senses_.withdraw(node), node, now);
    nodes_.give_back(node);
    return false;
  }
  begin(node, now);
  if (senses_.on()) {
    start_sharers(senses_.begin(node), node, now);
  }
  const FlashOperation operation = nodes_[node].command.operation;
  state.plane = node;
  state.repeats = operation == FlashOperation::erase && multi_plane_ ? at_.planes - 1 : 0;
  const bool in_register = senses_.on() && senses_.in_register(node);
  state.phase = in_register ? Phase::output : Phase::command;
  nodes_[node].cached =
      operation == FlashOperation::read && (state.array != kNoIndex || !state.held.empty());
  if (!in_register) {
    senses_.overwrite(lun);
    if (multi_plane_ && operation != FlashOperation::erase && !nodes_[node].command.hold_bus) {
      join_planes(lun, queue, now);
    }
  }
  if (!state.counted) {
    state.counted = true;
    statistics_.busy_luns.set(statistics_.busy_luns.value() + 1, now);
  }
  ask_bus(lun, now);
  return true;
}

// Adds matching commands from the same queue as further planes of the LUN's operation.
void FlashArray::join_planes(std::uint32_t lun, SlotChain& queue, Tick now) {
  const std::uint32_t first = luns_[lun].io;
  std::uint32_t last = first;
  std::uint32_t joined = 1;
  std::uint32_t previous = kNoIndex;
  std::uint32_t other = queue.first;
  for (int i = 0; i < kJoinWindow && other != kNoIndex && joined < at_.planes; ++i) {
    const std::uint32_t next = nodes_[other].next;
    const FlashCommand command = nodes_[other].command;
    const bool alike = command.operation == nodes_[first].command.operation &&
                       command.transfer == nodes_[first].command.transfer && !command.hold_bus;
    const PhysicalPage place = alike ? command.requester->next_flash_place(command) : kNowhere;
    if (joins(first, place)) {
      take(lun, queue, previous, now);
      start_along(other, now);
      if (senses_.on()) {
        start_sharers(senses_.begin(other), other, now);
      }
      ensure(nodes_[other].place == place, "flash", now, place.value(),
             "command at another place than planned");
      nodes_[last].next = other;
      last = other;
      ++joined;
    } else {
      previous = other;
    }
    other = next;
  }
  statistics_.multi_plane_operations += joined > 1 ? 1 : 0;
}

// Returns whether `place` has the same LUN and page, but a different plane from those of all nodes
// from `first`. Independent reads may have different pages.
bool FlashArray::joins(std::uint32_t first, PhysicalPage place) const {
  const bool any_page = independent_reads_ && nodes_[first].command.operation == O::read;
  if (place == kNowhere || at_.lun_of(place) != nodes_[first].command.lun ||
      (!any_page && at_.page_of(place) != at_.page_of(nodes_[first].place))) {
    return false;
  }
  for (std::uint32_t i = first; i != kNoIndex; i = nodes_[i].next) {
    if (at_.plane_of(nodes_[i].place) == at_.plane_of(place)) {
      return false;
    }
  }
  return true;
}

// Fixes the command's place and checks the programming order.
void FlashArray::begin(std::uint32_t node, Tick now) {
  FlashNode& own = nodes_[node];
  own.place = own.command.requester->flash_place(own.command);
  if (own.command.parts == 0) {
    own.command.parts = at_.part_of(own.place);
  }
  ensure(at_.superblock_of(own.place) < programmed_.superblocks(), "flash", now, own.place.value(),
         "command without a page");
  if (own.command.operation == FlashOperation::program) {
    programmed_.program(own.place, now);
  }
}

void FlashArray::reset_statistics(Tick now) {
  locks_.account(now);
  statistics_.reset(now);
}

void FlashArray::serialize(Archive& archive) {
  archive.section("flash");
  archive(nodes_);
  serialize_requesters(archive);
  archive.fixed(luns_, channels_);
  connect_luns();
  archive(programmed_, locks_, failures_, events_, firmware_, senses_);
  SlotClaims nodes(archive, nodes_.size(), "flash command that is free, or in two places");
  nodes_.claim_free(nodes);
  for (Lun& lun : luns_) {
    for (SlotChain& queue : lun.queues) {
      serialize_slots(archive, queue, links_of(nodes_.data(), &FlashNode::next), nodes_.size(),
                      [&nodes](std::uint32_t node) { nodes.claim(node); });
    }
    serialize_slots(archive, lun.held, links_of(nodes_.data(), &FlashNode::behind), nodes_.size(),
                    [](std::uint32_t) {});
  }
  if (archive.loading()) {
    check_loaded(archive, nodes);
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

// Checks that chains of planes end and that each node is in exactly one of: a chain, a queue,
// decoding. No node can then affect another one's operation. Then checks that indexes are in range.
void FlashArray::check_loaded(const Archive& archive, SlotClaims& nodes) {
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
      const FlashNode& node = nodes_[event.payload];
      archive.check(node.page < 0 && node.sharer == kNoIndex,
                    "shared sense of a page that has left the LUN");
    } else {
      archive.check_index(event.payload, luns_.size(), "flash event without a LUN");
    }
  });
  senses_.load(archive, nodes);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const FlashNode& node = nodes_[i];
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

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
#include "storage/array.h"

#include "core/errors.h"

namespace hmsim {

namespace {

enum { kFromHost, kToHost };  // indices of link_

constexpr NamedPart<ArrayPart> kPartNames[] = {
    {ArrayPart::barrier, "barrier", "waiting for a barrier to end"},
    {ArrayPart::tag, "tag", "waiting for a tag"},
    {ArrayPart::queue, "queue", "in its queue, waiting for a buffer or a controller's room"},
    {ArrayPart::link, "link", "on the link, or waiting for it"},
    {ArrayPart::buffer, "buffer", "read data waiting for a buffer"},
    {ArrayPart::ring, "ring", "on the ring, or waiting for it"},
    {ArrayPart::controller, "controller_wait", "waiting for the controller, or room in its queue"},
    {ArrayPart::cells, "cells", "the controller reads or writes"},
    {ArrayPart::end, "end", "reporting its end to the host"},
};
static_assert(std::size(kPartNames) == kArrayParts);

// Returns the parts that are not waits for queues.
DeviceTimes device_times(const ArrayTimes& times) {
  DeviceTimes parts;
  parts[DevicePart::link] = times[ArrayPart::link] + times[ArrayPart::end];
  parts[DevicePart::transfer] = times[ArrayPart::ring];
  parts[DevicePart::media] = times[ArrayPart::cells];
  return parts;
}

struct NamedPower {
  const char* name;
  double Power::*watts;
  const char* description;
};
constexpr NamedPower kPowers[] = {
    {"scheduler", &Power::scheduler, "scheduler and DMA engines"},
    {"ring", &Power::ring, "ring"},
    {"link", &Power::link, "interface of the link"},
    {"buffers", &Power::buffers, "buffers of scheduler and controllers"},
    {"controllers", &Power::controllers, "memory controllers"},
    {"cells", &Power::cells, "cells and row buffers, for reads and writes"},
    {"background", &Power::background, "dies, idle or ready to receive commands"},
};

}  // namespace

Array::Array(const ArrayDesign& design, Bytes capacity)
    : QueuedDevice(capacity),
      parameters_(design),
      tags_(design.array.tags),
      queues_(static_cast<std::size_t>(design.array.queues)),
      link_{LinkDirection{design.link.from_host, {}}, LinkDirection{design.link.to_host, {}}},
      memory_(design.memory),
      arriving_(design.link.from_host.fixed),
      sent_(design.link.to_host.fixed),
      ending_(design.array.end_time) {
  const bool shared = design.array.shared_buffers;
  buffers_.assign(shared ? 1 : queues_.size(), {design.array.buffers, shared ? queues_.size() : 1});
}

HMSIM_INLINE void Array::occupy_link(std::uint32_t index, bool to_host, Tick now) {
  const Tick time = link_[to_host ? kToHost : kFromHost].occupancy(transfers_[index].bytes);
  events_.schedule(now + time, to_host ? Event::to_host : Event::from_host, index);
}

HMSIM_INLINE void Array::occupy_ring(std::uint32_t index, Tick now) {
  const Transfer& transfer = transfers_[index];
  const ArrayParameters& array = parameters_.array;
  const Tick time = time_of(transfer.bytes, transfer.write ? array.ring_to : array.ring_from);
  events_.schedule(now + time, Event::ring, index);
}

// `delay`: time until the controller is ready.
HMSIM_INLINE void Array::occupy_controller(std::uint32_t index, Tick delay, Tick now) {
  Transfer& transfer = transfers_[index];
  transfer.times.charge(ArrayPart::controller, now);
  const Tick time =
      memory_.start(transfer.controller, transfer.offset, transfer.bytes, transfer.write);
  events_.schedule(now + delay + time, Event::cells, index);
}

HMSIM_INLINE void Array::enter_ring(std::uint32_t index, Tick now) {
  Transfer& transfer = transfers_[index];
  transfer.times.charge(transfer.write ? ArrayPart::controller : ArrayPart::buffer, now);
  if (ring_.offer(index, now)) {
    occupy_ring(index, now);
  }
}

HMSIM_INLINE void Array::enter_controller(std::uint32_t index, Tick now) {
  if (memory_[transfers_[index].controller].server.offer(index, now)) {
    occupy_controller(index, memory_.wake_up(), now);
  }
}

HMSIM_INLINE void Array::end_transfer(std::uint32_t index, Tick now) {
  const Transfer& transfer = transfers_[index];
  Job& job = jobs_[transfer.job];
  ++counts_.of[transfer.write ? 1 : 0].transfers;
  ensure(job.open > 0, "array", now, io_queue_[transfer.job].tag,
         "end of a transfer that its request does not have");
  if (--job.open == 0 && whole(transfer.job)) {
    job.times = transfer.times;
    ending_.enter(transfer.job, now);
  }
  transfers_.give_back(index);
}

// Queues a job that has its tag.
HMSIM_INLINE void Array::enqueue(std::uint32_t index, Tick now) {
  jobs_[index].times.charge(ArrayPart::tag, now);
  if (whole(index)) {  // moves no data
    ending_.enter(index, now);
    return;
  }
  const std::size_t number = parameters_.array.queue_of == QueueOf::submitter
                                 ? io_queue_[index].submitter
                                 : (io_queue_[index].kind == IoRequest::Kind::write ? 1 : 0);
  const auto queue = static_cast<std::uint32_t>(number % queues_.size());
  queues_[queue].jobs.push(index);
  schedule(queue, now);
}

void Array::begin(std::uint32_t index, Tick now) {
  jobs_.resize(io_queue_.size());
  jobs_[index].times.since = io_queue_.arrival(index);
  jobs_[index].times.charge(ArrayPart::barrier, now);
  if (tags_.acquire(1, index, now)) {
    enqueue(index, now);
  }
}

Tick Array::advance(Tick now) {
  Tick next = now;
  do {
    while (events_.next_time() <= now) {
      const auto event = events_.pop();
      handle(event.kind, event.payload, now);
    }
    while (arriving_.next_time() <= now) {
      arrive(arriving_.leave(), now);
    }
    while (sent_.next_time() <= now) {
      end_sent(sent_.leave(), now);
    }
    while (ending_.next_time() <= now) {
      end_request(ending_.leave(), now);
    }
    next = next_event();
  } while (next <= now);
  return next;
}

void Array::handle(Event kind, std::uint32_t index, Tick now) {
  switch (kind) {
    case Event::from_host:
      end_link(index, false, now);
      return;
    case Event::ring:
      end_ring(index, now);
      return;
    case Event::cells:
      end_cells(index, now);
      return;
    case Event::to_host:
      end_link(index, true, now);
      return;
  }
}

// Makes transfers of the queue's jobs while the resources they need are free.
void Array::schedule(std::uint32_t queue, Tick now) {
  while (!queues_[queue].stalled && !queues_[queue].jobs.empty()) {
    const std::uint32_t index = cut(queue);
    const Transfer& transfer = transfers_[index];
    const bool found = transfer.write ? take_buffer(index, now)
                                      : memory_[transfer.controller].out.acquire(
                                            static_cast<std::int64_t>(transfer.bytes), index, now);
    if (!found) {
      queues_[queue].stalled = true;
      return;
    }
    start_transfer(index, now);
  }
}

// Makes the next transfer of the queue's first job: at most one buffer, within a stripe.
std::uint32_t Array::cut(std::uint32_t queue) {
  const std::uint32_t index = transfers_.take();
  const std::uint32_t number = queues_[queue].jobs.front();
  const IoRequest& request = io_queue_[number];
  Job& job = jobs_[number];
  Transfer& transfer = transfers_[index];
  const auto stripe = static_cast<std::uint64_t>(parameters_.array.stripe.value());
  const auto buffer = static_cast<std::uint64_t>(parameters_.array.buffer.value());
  transfer.job = number;
  transfer.queue = queue;
  transfer.offset = request.offset + job.cut;
  transfer.bytes =
      earlier(earlier(request.bytes - job.cut, buffer), stripe - transfer.offset % stripe);
  transfer.controller = static_cast<std::uint32_t>(transfer.offset / stripe % memory_.size());
  transfer.write = request.kind == IoRequest::Kind::write;
  transfer.times = job.times;
  job.cut += transfer.bytes;
  ++job.open;
  return index;
}

// Starts the first job's transfer, which has its resources. With `balance`, the rest of the job
// moves to the end of the queue.
void Array::start_transfer(std::uint32_t index, Tick now) {
  Transfer& transfer = transfers_[index];
  Queue& queue = queues_[transfer.queue];
  transfer.started = true;
  transfer.times.charge(ArrayPart::queue, now);
  const bool last = whole(transfer.job);
  if (last || parameters_.array.order == QueueOrder::balance) {
    ensure(!queue.jobs.empty(), "array", now, transfer.job, "queue without its first job");
    queue.jobs.pop();
    if (!last) {
      queue.jobs.push(transfer.job);
    }
  }
  if (!transfer.write) {
    enter_controller(index, now);
  } else if (link_[kFromHost].server.offer(index, now)) {
    occupy_link(index, false, now);
  }
}

void Array::end_link(std::uint32_t index, bool to_host, Tick now) {
  LinkDirection& link = link_[to_host ? kToHost : kFromHost];
  if (const auto next = link.server.end(now)) {
    occupy_link(*next, to_host, now);
  }
  if (link.times.fixed > Tick(0)) {
    (to_host ? sent_ : arriving_).enter(index, now);
  } else if (to_host) {
    end_sent(index, now);
  } else {
    arrive(index, now);
  }
}

// Handles the arrival of a write's data in its buffer.
void Array::arrive(std::uint32_t index, Tick now) {
  Transfer& transfer = transfers_[index];
  transfer.times.charge(ArrayPart::link, now);
  if (memory_[transfer.controller].in.acquire(static_cast<std::int64_t>(transfer.bytes), index,
                                              now)) {
    enter_ring(index, now);
  }
}

void Array::end_ring(std::uint32_t index, Tick now) {
  if (const auto next = ring_.end(now)) {
    occupy_ring(*next, now);
  }
  Transfer& transfer = transfers_[index];
  transfer.times.charge(ArrayPart::ring, now);
  if (transfer.write) {
    enter_controller(index, now);
    free_buffer(transfer, now);
    return;
  }
  if (link_[kToHost].server.offer(index, now)) {
    occupy_link(index, true, now);
  }
  free_room(memory_[transfer.controller].out, transfer, now);
}

void Array::end_cells(std::uint32_t index, Tick now) {
  const Transfer transfer = transfers_[index];
  if (const auto next = memory_[transfer.controller].server.end(now)) {
    occupy_controller(*next, Tick(0), now);
  }
  transfers_[index].times.charge(ArrayPart::cells, now);
  if (transfer.write) {
    end_transfer(index, now);
    free_room(memory_[transfer.controller].in, transfer, now);
  } else if (take_buffer(index, now)) {
    enter_ring(index, now);
  }
}

// Handles the arrival of a read's data at the host.
void Array::end_sent(std::uint32_t index, Tick now) {
  const Transfer transfer = transfers_[index];
  transfers_[index].times.charge(ArrayPart::link, now);
  end_transfer(index, now);
  free_buffer(transfer, now);
}

// Continues a transfer that waited for a buffer or for room at a controller, and now has it. A
// started transfer has its data and enters the ring. Otherwise it is the first of its queue, and
// starts.
void Array::resume(std::uint32_t index, Tick now) {
  if (transfers_[index].started) {
    enter_ring(index, now);
    return;
  }
  const std::uint32_t queue = transfers_[index].queue;
  queues_[queue].stalled = false;
  start_transfer(index, now);
  schedule(queue, now);
}

void Array::free_buffer(const Transfer& transfer, Tick now) {
  SlotsInTurn<std::uint32_t>& buffers = buffers_of(transfer);
  buffers.release(now);
  while (const auto next = buffers.admit(now)) {
    resume(*next, now);
  }
}

void Array::free_room(Slots<std::uint32_t>& room, const Transfer& transfer, Tick now) {
  room.release(static_cast<std::int64_t>(transfer.bytes), now);
  while (const auto next = room.admit(now)) {
    resume(*next, now);
  }
}

// Ends a request. First passes its tag to the next request that waits for one, then notifies the
// listener.
void Array::end_request(std::uint32_t index, Tick now) {
  Job& job = jobs_[index];
  job.times.charge(ArrayPart::end, now);
  const IoRequest::Kind kind = io_queue_[index].kind;
  if (kind != IoRequest::Kind::flush) {
    job.times.add_to(counts_.of[kind == IoRequest::Kind::write ? 1 : 0].parts);
  }
  const DeviceTimes parts = device_times(job.times);
  job = Job();
  tags_.release(1, now);
  if (const auto next = tags_.admit(now)) {
    enqueue(*next, now);
  }
  end(index, now, parts);
}

Power Array::power() const {
  return power_of(parameters_.power,
                  {(link_busy(false) + link_busy(true)) / 2, ring_busy(), memory_.busy()},
                  memory_.counts(), parameters_.memory, ring_.level().time());
}

void Array::register_statistics(StatisticRegistry& registry, const std::string& path) {
  io_queue_.register_reset(registry);
  for (const bool write : {false, true}) {
    const StatisticGroup group(registry, path + (write ? ".write" : ".read"));
    ArrayCounts::Direction& of = counts_.of[write ? 1 : 0];
    Counter& requests = io_queue_.counts(write).requests;
    register_parts(group, kPartNames, of.parts, requests);
    group.counter("requests", "requests",
                  "requests that ended; large requests of the host arrive in pieces", requests);
    group.counter("transfers", "transfers", "transfers of one buffer each", of.transfers);
  }
  const StatisticGroup group(registry, path);
  group.level("tags", "tags", "tags in use, mean over time", tags_.level());
  group.gauge("buffers", "buffers", "buffers in use, mean over time", [this] {
    double sum = 0;
    for (const SlotsInTurn<std::uint32_t>& each : buffers_) {
      sum += each.level().mean();
    }
    return sum;
  });
  for (SlotsInTurn<std::uint32_t>& each : buffers_) {
    registry.track(each.level());
  }
  constexpr const char* kLink = "share of time in which data were in flight";
  group.level("link.to_host.busy", "", kLink, link_[kToHost].server.level());
  group.level("link.from_host.busy", "", kLink, link_[kFromHost].server.level());
  group.level("ring.busy", "", "share of time in which it carried data", ring_.level());
  memory_.register_statistics(registry, path);
  group.gauge("power_w", "W", "power of all parts, mean over time",
              [this] { return power().total(); });
  for (const NamedPower& each : kPowers) {
    group.gauge(std::string("energy_j.") + each.name, "J", each.description,
                [this, watts = each.watts] {
                  return power().*watts * static_cast<double>(ring_.level().time().value()) /
                         static_cast<double>(kSecond.value());
                });
  }
}

void Array::serialize(Archive& archive) {
  archive.section("storage array");
  io_queue_.serialize(archive);
  jobs_.resize(io_queue_.size());
  archive.fixed(jobs_, queues_);
  archive(transfers_, tags_);
  for (SlotsInTurn<std::uint32_t>& each : buffers_) {
    each.serialize(archive);
  }
  archive(link_, ring_, memory_, events_, arriving_, sent_, ending_, counts_);
  if (archive.loading()) {
    check_indices(archive);
  }
}

// Checks a loaded state, so that a damaged checkpoint cannot lead to invalid accesses: the indices
// of jobs and transfers, and the sizes that bound the number of transfers of a job.
void Array::check_indices(const Archive& archive) const {
  for (std::uint32_t index = 0; index < jobs_.size(); ++index) {
    archive.check(jobs_[index].cut <= io_queue_[index].bytes, "too many transfers of a request");
  }
  const auto check_job = each_is_one_of(archive, io_queue_.in_use());
  for (const std::uint32_t index : transfers_.taken()) {
    const Transfer& transfer = transfers_[index];
    check_job(transfer.job);
    archive.check_index(transfer.queue, queues_.size(), "invalid queue");
    archive.check_index(transfer.controller, memory_.size(), "invalid controller");
  }
  tags_.each_waiting(check_job);
  ending_.each(check_job);
  for (const Queue& queue : queues_) {
    queue.jobs.each(check_job);
  }
  const auto check_transfer = each_is_one_of(archive, transfers_.in_use());
  events_.each([&](const auto& event) { check_transfer(event.payload); });
  arriving_.each(check_transfer);
  sent_.each(check_transfer);
  ring_.waiting().each(check_transfer);
  for (const auto& buffers : buffers_) {
    buffers.each_waiting(check_transfer);
  }
  for (const LinkDirection& link : link_) {
    link.server.waiting().each(check_transfer);
  }
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i].in.each_waiting(check_transfer);
    memory_[i].out.each_waiting(check_transfer);
    memory_[i].server.waiting().each(check_transfer);
  }
}

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// Array of solid-state memory behind a link, like Moneta (Caulfield et al., MICRO 2010): requests
// in queues, split into transfers at stripe boundaries, a few buffers, a ring, and controllers.
//
//   write: tag, queue, buffer, link, room in the controller's queue, ring (frees the buffer),
//          cells (frees the room)
//   read:  tag, queue, room in the controller's queue, cells, buffer, ring (frees the room),
//          link (frees the buffer)
//
// An item in parentheses is an effect of the end of that step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/pool.h"
#include "core/ring.h"
#include "storage/array_parameters.h"
#include "storage/queued_device.h"
#include "storage/server.h"
#include "storage/statistics.h"

namespace hmsim {

// Part of a request's time in the array. Every moment counts in exactly one part. For a request of
// several transfers, the parts are those of the transfer that ended last. Waiting counts in the
// part that is waited for.
enum class ArrayPart : std::uint8_t {
  barrier,     // waits for a barrier, or is one
  tag,         // waits for a tag
  queue,       // in its queue, until it has a buffer or room at the controller
  link,        // data wait for the link or are on it
  buffer,      // data read wait for a buffer
  ring,        // waits for the ring or is on it
  controller,  // waits for the controller or room in its queue
  cells,       // served by the controller
  end,         // completion is reported to the host
  last = end
};
inline constexpr std::size_t kArrayParts = static_cast<std::size_t>(ArrayPart::last) + 1;
using ArrayTimes = PartTimes<ArrayPart, kArrayParts>;

struct ArrayCounts {
  struct Direction {
    std::array<Counter, kArrayParts> parts{};  // picoseconds; their sum is that of all latencies
    Counter transfers = 0;
    void serialize(Archive& archive) { archive(parts, transfers); }
  };
  std::array<Direction, 2> of;  // reads, writes

  void serialize(Archive& archive) { archive(of); }
};

class Array final : public QueuedDevice<Array> {
 public:
  // The parameters passed check().
  Array(const ArrayDesign& design, Bytes capacity);

  void begin(std::uint32_t index, Tick now);  // for QueuedDevice
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;
  Tick next_event() const override {
    return earlier(earlier(events_.next_time(), ending_.next_time()),
                   earlier(arriving_.next_time(), sent_.next_time()));
  }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

  const ArrayCounts& counts() const { return counts_; }
  const RowMemory& memory() const { return memory_; }
  double ring_busy() const { return ring_.level().mean(); }
  double link_busy(bool to_host) const { return link_[to_host ? 1 : 0].server.level().mean(); }
  Power power() const;

 private:
  // Stage of a transfer that ends: the link from the host, the ring, the controller, the link to
  // the host.
  enum class Event : std::uint8_t { from_host, ring, cells, to_host, last = to_host };

  // State of a request in the array. Reset to its initial value when the request ends.
  struct Job {
    ArrayTimes times;
    std::uint64_t cut = 0;   // bytes already split into transfers
    std::uint32_t open = 0;  // transfers that have not ended
    void serialize(Archive& archive) { archive(times, cut, open); }
  };
  struct Transfer {
    std::uint32_t job = 0;
    std::uint32_t queue = 0;
    std::uint32_t controller = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool write = false;
    bool started = false;  // it no longer holds up its queue
    ArrayTimes times;
    void serialize(Archive& archive) {
      archive(job, queue, controller, offset, bytes, write, started, times);
    }
  };
  struct Queue {
    Ring<std::uint32_t> jobs;
    bool stalled = false;  // the first job's next transfer waits for a resource
    void serialize(Archive& archive) { archive(jobs, stalled); }
  };
  struct LinkDirection {
    LinkTimes times;
    Server<std::uint32_t> server;  // queue of transfers

    Tick occupancy(std::uint64_t bytes) const { return time_of(bytes, times.per_kib); }
    void serialize(Archive& archive) { server.serialize(archive); }
  };

  SlotsInTurn<std::uint32_t>& buffers_of(const Transfer& transfer) {
    return buffers_[parameters_.array.shared_buffers ? 0 : transfer.queue];
  }
  std::uint32_t line_of(const Transfer& transfer) const {
    return parameters_.array.shared_buffers ? transfer.queue : 0;
  }
  bool take_buffer(std::uint32_t index, Tick now) {
    const Transfer& transfer = transfers_[index];
    return buffers_of(transfer).acquire(line_of(transfer), index, now);
  }
  // Returns whether the job is completely split into transfers.
  bool whole(std::uint32_t job) const { return jobs_[job].cut == io_queue_[job].bytes; }
  void enqueue(std::uint32_t index, Tick now);
  void schedule(std::uint32_t queue, Tick now);
  std::uint32_t cut(std::uint32_t queue);
  void start_transfer(std::uint32_t index, Tick now);
  void occupy_link(std::uint32_t index, bool to_host, Tick now);
  void arrive(std::uint32_t index, Tick now);
  void enter_ring(std::uint32_t index, Tick now);
  void occupy_ring(std::uint32_t index, Tick now);
  void end_ring(std::uint32_t index, Tick now);
  void enter_controller(std::uint32_t index, Tick now);
  void occupy_controller(std::uint32_t index, Tick delay, Tick now);
  void end_cells(std::uint32_t index, Tick now);
  void end_link(std::uint32_t index, bool to_host, Tick now);
  void end_sent(std::uint32_t index, Tick now);
  void resume(std::uint32_t index, Tick now);
  void free_buffer(const Transfer& transfer, Tick now);
  void free_room(Slots<std::uint32_t>& room, const Transfer& transfer, Tick now);
  void end_transfer(std::uint32_t index, Tick now);
  void end_request(std::uint32_t index, Tick now);
  void handle(Event kind, std::uint32_t index, Tick now);
  void check_indices(const Archive& archive) const;

  const ArrayDesign parameters_;
  std::vector<Job> jobs_;  // by the request's place in `io_queue_`
  Pool<Transfer> transfers_;
  Slots<std::uint32_t> tags_;
  std::vector<Queue> queues_;
  std::vector<SlotsInTurn<std::uint32_t>> buffers_;  // by queue, or one shared by all queues
  std::array<LinkDirection, 2> link_;                // from the host, to the host
  Server<std::uint32_t> ring_;
  RowMemory memory_;
  EventQueue<Event> events_;
  Delay<std::uint32_t> arriving_;  // transfers in the fixed delay of the link from the host
  Delay<std::uint32_t> sent_;      // transfers in the fixed delay of the link to the host
  Delay<std::uint32_t> ending_;    // jobs whose transfers have all ended
  ArrayCounts counts_;
};

}  // namespace hmsim

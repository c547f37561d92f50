// SPDX-License-Identifier: BSD-3-Clause
// Port protocol between a memory system and a host simulator with its own events, ports and
// retries. Nothing here depends on gem5.
//
// The host offers packets at two ports, one per memory. If a packet does not fit, the gate refuses
// it and calls on_room() once when the host should offer again. Another offer before that is
// refused without a further call. With a unified queue, refused ports wait in order, and while one
// waits, the other is refused even if there is room. Split queues are independent. A packet that
// was taken is done when its last line is done. Packets are identified by the id that the host
// assigns.
//
// The host schedules one event at next_event() and calls advance() then, after all other events at
// that time. An offer that arrives still later at the same time counts as one picosecond later.
// Hence the times and the order of the packets taken determine a run, and it can be replayed
// (`recorded`). Time stands still while the gate is suspended, e.g. during the host's functional
// simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "embed/embed_core.h"

namespace hmsim {

using GatePacket = HostRequest;  // its memory is the port

// Receives each line of a packet when its last data beat is known. `shift`: the host's time minus
// the record's.
class LineObserver {
 public:
  virtual ~LineObserver() = default;
  virtual void on_line(std::uint64_t packet, const RequestRecord& record, Tick shift) = 0;
};

// Interface to the host simulator.
class GateHost {
 public:
  virtual ~GateHost() = default;
  // on_done() and on_room() may offer packets to the gate.
  virtual void on_done(std::uint64_t id) = 0;
  virtual void on_room(MemoryClass port) = 0;
  // Called for every packet taken, with the gate's own time.
  virtual void on_taken(const GatePacket& /*packet*/, Tick /*time*/) {}
  virtual std::int64_t instructions(std::uint16_t /*source*/) const { return 0; }
};

// A memory system with the port protocol.
class MemoryGate final : public EmbedCore, private RequestObserver {
 public:
  // See EmbedCore.
  MemoryGate(GateHost& host, const Assignments& parameters, std::uint64_t seed, bool check);

  // Returns false if the packet is refused. Throws InputError if it reaches beyond its memory.
  bool offer(const GatePacket& packet, Tick now);

  Tick next_event() const;  // kNever while suspended
  void advance(Tick now);   // reports completed packets and room to the host

  // Call before time first passes. `observer` must outlive the gate's calls.
  void observe_lines(LineObserver& observer);

  // Call before time first passes: states that the host wrote these pages of the NVDIMM, oldest
  // first. They are placed on flash. With nvdimm.precondition.buffer 'captured', the write buffer
  // holds the most recent ones. Throws InputError if the buffer should hold pages and none are
  // given.
  void write_before(const std::vector<std::int64_t>& pages);

  // Returns whether no packet was ever taken and no time has passed.
  bool untouched() const { return processed_ == Tick(0) && in_flight_.unused(); }
  // Returns whether no packet is in progress, nothing is queued, and no flash operation runs.
  bool idle() const;

  // Stops time at `now`, or lets it continue. A gate starts suspended. suspend() requires an idle
  // gate.
  void suspend(Tick now);
  void resume(Tick now);
  bool suspended() const { return suspended_; }

  // Returns the statistics at `now`: sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(Tick now);
  void reset_statistics(Tick now);

  // Saves or loads the state of an idle, suspended gate. load(): see EmbedCore.
  std::string save();
  using EmbedCore::load;

 private:
  struct Waiting {
    MemoryClass port;
    Address address;
  };

  void on_complete(const Request& request, Tick now) override;
  void on_request(const RequestRecord& record) override {
    lines_->on_line(in_flight_.id(record.request.tag), record, shift_);
  }
  std::int64_t instructions(std::uint16_t source) const override {
    return host_.instructions(source);
  }
  void notify_room();
  Tick catch_up(Tick now);

  GateHost& host_;
  LineObserver* lines_ = nullptr;
  bool suspended_ = true;
  std::vector<std::uint64_t> ended_;  // ids to report to the host
  std::vector<Waiting> waiting_;      // in order of refusal; each port at most once
  std::optional<MemoryClass> turn_;   // the port being notified: its next packet goes ahead
};

}  // namespace hmsim

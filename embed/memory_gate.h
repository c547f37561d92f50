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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/accounts/request_observer.h"
#include "controller/memory_system.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/pool.h"
#include "core/statistics.h"

namespace hmsim {

class ProtocolChecker;

// A packet of the host.
struct GatePacket {
  MemoryClass memory = MemoryClass::dram;  // the port
  Address address{0};                      // of its first byte, within the memory
  std::int64_t size = kLineBytes.value();  // bytes, at least 1
  bool write = false;
  std::uint16_t source = 0;
  std::uint64_t id = 0;  // assigned by the host
};

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
class MemoryGate final : private Requester, private SourceProgress, private RequestObserver {
 public:
  // `parameters`: the user's assignments. Those of `frontend` and `storage` are ignored, because
  // the host simulator replaces these parts. `check`: verifies every command; one that breaks a
  // rule of devices, buses or the ack protocol raises a Fault. Throws InputError with one line per
  // invalid parameter.
  MemoryGate(GateHost& host, const Assignments& parameters, std::uint64_t seed, bool check);
  ~MemoryGate() override;

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
  bool untouched() const { return advanced_ == Tick(0) && under_way_.size() == 0; }
  // Returns whether no packet is in progress, nothing is queued, and no flash operation runs.
  bool idle() const;

  // Stops time at `now`, or lets it continue. A gate starts suspended. suspend() requires an idle
  // gate.
  void suspend(Tick now);
  void resume(Tick now);
  bool suspended() const { return suspended_; }

  Bytes capacity(MemoryClass memory) const { return memory_.capacity(memory); }
  const SystemConfig& config() const { return config_; }
  const Assignments& parameters() const { return values_; }  // all parameters, presets filled in

  // Returns the statistics at `now`: sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(Tick now);
  void reset_statistics(Tick now);

  // Saves or loads the state of an idle, suspended gate. load() throws InputError if the checkpoint
  // is damaged, or was made with other parameters or another seed.
  std::string save();
  void load(const std::string& checkpoint);

 private:
  // Component that sends the lines of a packet at a given time, ahead of the memory system's own
  // events at that time.
  class Sender final : public Component {
   public:
    explicit Sender(MemoryGate& gate) : gate_(gate) {}
    void set(const GatePacket& packet, std::uint32_t tag, Tick time);
    Tick next_event() const override { return time_; }
    Tick advance(Tick now) override;
    void serialize(Archive& /*archive*/) override {}

   private:
    MemoryGate& gate_;
    GatePacket packet_;
    std::uint32_t tag_ = 0;
    Tick time_ = kNever;
  };
  struct Waiting {
    MemoryClass port;
    Address address;
  };
  struct UnderWay {
    std::uint64_t id = 0;
    std::int64_t lines = 0;
  };

  void on_complete(const Request& request, Tick now) override;
  void on_request(const RequestRecord& record) override {
    lines_->on_line(under_way_[record.request.tag].id, record, shift_);
  }
  std::int64_t instructions(std::uint16_t source) const override {
    return host_.instructions(source);
  }
  void serialize(Archive& archive);

  Tick local(Tick now) const { return now - shift_; }
  bool has_refused(MemoryClass port) const;
  bool must_wait(const GatePacket& packet) const;
  void take(const GatePacket& packet, Tick now);
  void tell_done();
  void notify_room();
  Tick catch_up(Tick now);

  GateHost& host_;
  Assignments values_;
  SystemConfig config_;
  Kernel kernel_;
  Sender sender_{*this};
  const int sender_id_ = kernel_.attach(sender_);  // attached before the memory system
  MemorySystem memory_;
  std::unique_ptr<ProtocolChecker> checker_;  // null unless checking
  LineObserver* lines_ = nullptr;
  StatisticRegistry registry_;
  const std::uint64_t identity_;

  bool suspended_ = true;
  Tick shift_{0};     // host time minus gate time
  Tick advanced_{0};  // gate time up to which all events are processed
  Tick measured_from_{0};
  Counter ticks_ = 0;
  Counter packets_done_ = 0;

  Pool<UnderWay> under_way_;         // by tag
  std::vector<std::uint64_t> done_;  // ids to report to the host
  std::vector<Waiting> waiting_;     // in order of refusal; each port at most once
  std::optional<MemoryClass> turn_;  // the port being notified: its next packet goes ahead
};

}  // namespace hmsim

// SPDX-License-Identifier: BSD-3-Clause
// The port protocol between a memory system and a host simulator that has events, ports and retries
// of its own; nothing here knows gem5.
//
// The host offers packets at its two ports, one a memory. A packet that finds no room is refused,
// and the host told once, by on_room(), when to offer again; another offer before that is refused
// without a further promise. With a unified queue the refused ports wait in order, and while one
// waits the other is refused even where there is room; split queues have nothing to do with one
// another. A packet that was taken is done when its last line is; packets are told apart by the id
// that the host gave them.
//
// The host keeps one event at next_event() and calls advance() then, behind everything else that
// is due at this time. An offer that comes still later at the same time counts as one picosecond
// later; so a run is told by the times and the order of what was taken, and can be replayed
// (`recorded`). Time stands still while the gate is suspended: the host has functional simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/pool.h"
#include "core/statistics.h"

namespace hmsim {

class ProtocolChecker;

struct GatePacket {
  MemoryClass memory = MemoryClass::dram;  // the port
  Address address{0};                      // of its first byte, inside the memory
  std::int64_t size = kLineBytes.value();  // bytes, at least 1
  bool write = false;
  std::uint16_t source = 0;
  std::uint64_t id = 0;  // the host's own
};

class GateHost {
 public:
  virtual ~GateHost() = default;
  // The gate may be offered packets from within both calls.
  virtual void on_done(std::uint64_t id) = 0;
  virtual void on_room(MemoryClass port) = 0;
  // Of every packet that is taken, with the gate's own time.
  virtual void on_taken(const GatePacket& /*packet*/, Tick /*time*/) {}
  virtual std::int64_t instructions(std::uint16_t /*source*/) const { return 0; }
};

class MemoryGate final : private Requester, private SourceProgress {
 public:
  // `parameters` as the user gave them; those of `frontend`, which the host replaces, are left out.
  // `check`: a fault is raised when a command breaks a rule of devices, buses or the ack protocol.
  // Throws InputError with one line for each error.
  MemoryGate(GateHost& host, const Assignments& parameters, std::uint64_t seed, bool check);
  ~MemoryGate() override;

  // False: refused. Throws InputError for a packet that reaches beyond its memory.
  bool offer(const GatePacket& packet, Tick now);

  Tick next_event() const;  // kNever while suspended
  void advance(Tick now);   // tells the host of what is done and where there is room

  // Before time passes for the first time: the host had written these pages of the NVDIMM, the
  // oldest first, and they are on flash. With nvdimm.precondition.buffer 'captured' the write
  // buffer holds the newest. Throws InputError where it is to hold some and there are none.
  void write_before(const std::vector<std::int64_t>& pages);

  // No packet was ever taken, and no time has passed.
  bool untouched() const { return advanced_ == Tick(0) && under_way_.size() == 0; }
  // No packet is under way, nothing is queued, and no flash operation runs.
  bool idle() const;

  // From `now` on time stands still, or goes on. Suspended from the start; suspend() asks for an
  // idle gate.
  void suspend(Tick now);
  void resume(Tick now);
  bool suspended() const { return suspended_; }

  Bytes capacity(MemoryClass memory) const { return memory_.capacity(memory); }
  const SystemConfig& config() const { return config_; }
  const Assignments& parameters() const { return values_; }  // every one, presets filled in

  // As of `now`; sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(Tick now);
  void reset_statistics(Tick now);

  // The state of an idle, suspended gate. load() throws InputError for a damaged checkpoint and for
  // one of other parameters or another seed.
  std::string save();
  void load(const std::string& checkpoint);

 private:
  // Puts the lines of a packet into the gate's time, ahead of all that the memory does then.
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
  std::int64_t instructions(std::uint16_t source) const override {
    return host_.instructions(source);
  }
  void serialize(Archive& archive);

  Tick local(Tick now) const { return now - shift_; }
  bool has_refused(MemoryClass port) const;
  bool must_wait(const GatePacket& packet) const;
  void take(const GatePacket& packet, Tick now);
  void tell_done();
  void tell_room();
  Tick catch_up(Tick now);

  GateHost& host_;
  Assignments values_;
  SystemConfig config_;
  Kernel kernel_;
  Sender sender_{*this};
  const int sender_id_ = kernel_.attach(sender_);  // before the memory system
  MemorySystem memory_;
  std::unique_ptr<ProtocolChecker> checker_;  // or none
  StatisticRegistry registry_;
  const std::uint64_t identity_;

  bool suspended_ = true;
  Tick shift_{0};     // the host's time less the gate's
  Tick advanced_{0};  // the gate's time up to which all has happened
  Tick measured_from_{0};
  Counter ticks_ = 0;
  Counter packets_done_ = 0;

  Pool<UnderWay> under_way_;         // by tag
  std::vector<std::uint64_t> done_;  // to be told of
  std::vector<Waiting> waiting_;     // in order of refusal, each port once at most
  std::optional<MemoryClass> turn_;  // of the port that is being told: its next packet goes ahead
};

}  // namespace hmsim

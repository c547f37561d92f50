// SPDX-License-Identifier: BSD-3-Clause
// Adapter of hmsim's controller to gem5's ports, events, drains and checkpoints. The port protocol
// is in MemoryGate, which does not depend on gem5.
#ifndef HMSIM_GEM5_EXT_HARMONIC_MEM_CTRL_HH
#define HMSIM_GEM5_EXT_HARMONIC_MEM_CTRL_HH

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "embed/memory_gate.h"
#include "embed/packet_recorder.h"
#include "embed/packet_views.h"
#include "gem5-ext/written_before.hh"
#include "mem/abstract_mem.hh"
#include "mem/qport.hh"
#include "params/HarmonicMemCtrl.hh"
#include "params/HarmonicMemInterface.hh"
#include "sim/clocked_object.hh"
#include "sim/eventq.hh"

namespace gem5 {
namespace memory {

// One memory, as gem5 sees it: an address range and its latency in atomic mode.
class HarmonicMemInterface : public AbstractMemory {
 public:
  explicit HarmonicMemInterface(const HarmonicMemInterfaceParams& params);
  Tick latency() const { return latency_; }

 private:
  const Tick latency_;
};

// gem5's controller object, with one port per memory.
class HarmonicMemCtrl : public ClockedObject, public hmsim::GateHost {
 public:
  explicit HarmonicMemCtrl(const HarmonicMemCtrlParams& params);

  Port& getPort(const std::string& name, PortID index) override;
  void init() override;
  void startup() override;

  DrainState drain() override;
  void drainResume() override;
  void serialize(CheckpointOut& cp) const override;
  void unserialize(CheckpointIn& cp) override;

  void resetStats() override;
  void preDumpStats() override;

  // For configuration scripts: one line "name=value" for every statistic at this moment, for every
  // sum of the views ("" without them), or for every parameter.
  std::string statistics();
  std::string view_sums() const;
  std::string resolved() const;

 private:
  class MemoryPort final : public QueuedResponsePort {
   public:
    MemoryPort(const std::string& name, HarmonicMemCtrl& controller, HarmonicMemInterface& memory,
               hmsim::MemoryClass memory_class);

    HarmonicMemInterface& memory() const { return memory_; }
    hmsim::MemoryClass memory_class() const { return class_; }
    using ResponsePort::sendRetryReq;

   private:
    AddrRangeList getAddrRanges() const override { return {memory_.getAddrRange()}; }
    Tick recvAtomic(PacketPtr packet) override;
    Tick recvAtomicBackdoor(PacketPtr packet, MemBackdoorPtr& backdoor) override;
    void recvFunctional(PacketPtr packet) override;
    void recvMemBackdoorReq(const MemBackdoorReq& request, MemBackdoorPtr& backdoor) override;
    bool recvTimingReq(PacketPtr packet) override;

    HarmonicMemCtrl& controller_;
    HarmonicMemInterface& memory_;
    const hmsim::MemoryClass class_;
    RespPacketQueue queue_;
  };

  // A packet taken by the gate. Writes are answered at once, so only their slot is kept.
  struct Held {
    PacketPtr packet = nullptr;
    MemoryPort* port = nullptr;
    Tick delay = 0;  // of header and payload
  };

  void on_done(std::uint64_t id) override;
  void on_room(hmsim::MemoryClass port) override;
  void on_taken(const hmsim::GatePacket& packet, hmsim::Tick time) override;
  std::int64_t instructions(std::uint16_t source) const override;

  // While no time passes: records a packet that changes an NVDIMM's bytes.
  void note_written(const MemoryPort& port, const Packet& packet, bool loaded);

  bool take(MemoryPort& port, hmsim::MemoryClass memory, PacketPtr packet);
  void satisfy_held(MemoryPort& port, PacketPtr functional);
  std::uint16_t source_of(const Packet& packet);
  void check_capacity(const MemoryPort* port, hmsim::MemoryClass memory) const;
  void advance();
  void reschedule();
  void start();
  void declare_statistics();

  std::array<std::unique_ptr<MemoryPort>, hmsim::kMemoryClasses> ports_;
  std::unique_ptr<hmsim::PacketRecorder> recorder_;  // null unless recording
  std::unique_ptr<hmsim::MemoryGate> gate_;
  std::unique_ptr<hmsim::PacketViews> views_;  // null unless wanted
  const std::string written_before_;           // path, or ""
  std::unique_ptr<WrittenBefore> written_;     // for the NVDIMM; null otherwise
  bool begun_ = false;                         // time has passed or is about to
  EventFunctionWrapper event_;
  const Tick frontend_latency_;
  const Tick backend_latency_;

  std::vector<Held> held_;  // by the gate's id
  std::vector<std::uint64_t> free_ids_;
  std::unique_ptr<Packet> finished_;   // kept because its sender still reads it
  std::vector<std::int64_t> sources_;  // by requestor; -1: not seen yet
  std::uint64_t others_ = 0;           // number of sources other than cores
  // Mirrors of hmsim's statistics, in its order.
  std::vector<std::unique_ptr<gem5::statistics::Scalar>> mirrors_;
};

}  // namespace memory
}  // namespace gem5

#endif

// SPDX-License-Identifier: BSD-3-Clause
#include "base/logging.hh"
#include "gem5-ext/harmonic_mem_ctrl.hh"

namespace gem5 {
namespace memory {

HarmonicMemCtrl::MemoryPort::MemoryPort(const std::string& name, HarmonicMemCtrl& controller,
                                        HarmonicMemInterface& memory,
                                        hmsim::MemoryClass memory_class)
    : QueuedResponsePort(name, queue_),
      controller_(controller),
      memory_(memory),
      class_(memory_class),
      // Requestors limit the packets in flight, and so the responses in this queue.
      queue_(controller, *this, true) {
  queue_.disableSanityCheck();
}

Tick HarmonicMemCtrl::MemoryPort::recvAtomic(PacketPtr packet) {
  panic_if(packet->cacheResponding(), "%s: a cache responds to this packet", name());
  if (packet->isWrite()) {
    controller_.note_written(*this, *packet, false);
  }
  memory_.access(packet);
  return memory_.latency();
}

Tick HarmonicMemCtrl::MemoryPort::recvAtomicBackdoor(PacketPtr packet, MemBackdoorPtr& backdoor) {
  const Tick latency = recvAtomic(packet);
  memory_.getBackdoor(backdoor);
  return latency;
}

void HarmonicMemCtrl::MemoryPort::recvMemBackdoorReq(const MemBackdoorReq& /*request*/,
                                                     MemBackdoorPtr& backdoor) {
  memory_.getBackdoor(backdoor);
}

// Memory contents change when a packet is taken, so memory always reflects all packets taken. Reads
// still in progress carry the data that they read.
void HarmonicMemCtrl::MemoryPort::recvFunctional(PacketPtr packet) {
  packet->pushLabel(name());
  memory_.functionalAccess(packet);
  if (packet->isWrite()) {
    controller_.note_written(*this, *packet, true);
    controller_.satisfy_held(*this, packet);
    queue_.trySatisfyFunctional(packet);
  }
  packet->popLabel();
}

bool HarmonicMemCtrl::MemoryPort::recvTimingReq(PacketPtr packet) {
  panic_if(packet->cacheResponding(), "%s: a cache responds to this packet", name());
  panic_if(!packet->isRead() && !packet->isWrite(), "%s: %s is neither read nor write", name(),
           packet->cmdString());
  return controller_.take(*this, class_, packet);
}

}  // namespace memory
}  // namespace gem5

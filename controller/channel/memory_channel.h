// SPDX-License-Identifier: BSD-3-Clause
// The memory system's interface to a channel, independent of its model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/accounts/channel_statistics.h"
#include "controller/channel/flush_gate.h"
#include "core/kernel.h"
#include "core/line_store.h"
#include "core/request.h"
#include "core/types.h"
#include "policies/policy.h"

namespace hmsim {

class BusAccounting;
class CommandObserver;
class EnergyMeter;
class LatencySplit;
class RefreshManagement;
class RequestObserver;
class SlowMemory;

// Service of a memory class by a channel since statistics were reset, and whether a request of the
// class is ready for the data bus: a DRAM request from admission on, an NVDIMM request from its ack
// on.
struct ClassService {
  Counter served = 0;
  bool ready = false;
};
using ClassServices = std::array<ClassService, kMemoryClasses>;

// Meters of a channel that statistics read, beside its counts. They are nullptr if it has none: of
// another simulator, without a memory bus, without refresh management.
struct ChannelMeters {
  const BusAccounting* bus = nullptr;
  LatencySplit* latency = nullptr;
  const EnergyMeter* energy = nullptr;
  RefreshManagement* management = nullptr;
  std::int64_t burst_cycles = 1;  // of a line
  std::int64_t command_buses = 1;
  std::int64_t command_slots = 1;  // cycles of a slot, which statistics count
};

class MemoryChannel : public Component, public FlushGate {
 public:
  // Attaches this channel to the kernel. `requesters` is indexed by Request::agent.
  virtual void attach(Kernel& kernel, const std::vector<Requester*>& requesters,
                      const SourceProgress& progress) {
    connect(kernel, kernel.attach(*this), requesters, progress);
  }
  // As attach(), with the component that advances this channel: itself, or the port that it is a
  // part of.
  virtual void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
                       const SourceProgress& progress) = 0;

  // Takes a request for an address on this channel. The request waits outside while its queue is
  // full.
  virtual void send(const Request& request, Tick now) = 0;
  virtual bool would_wait(MemoryClass memory) const = 0;
  virtual bool idle() const = 0;
  // All zero for a channel of another simulator.
  virtual ClassServices services() const { return {}; }
  // Adds the unfinished requests to `requests`.
  virtual void list_outstanding(std::vector<Requester::Outstanding>& /*requests*/) const {}
  virtual void set_observer(CommandObserver* observer) = 0;
  // Reports nothing if latency_split() is nullptr.
  virtual void set_request_observer(RequestObserver* /*observer*/) {}

  // Adds this channel's own requesters. The vector must outlive the channel.
  virtual void add_requesters(std::vector<Requester*>& /*requesters*/) {}
  // Called when the number of requesters is known, before any request.
  virtual void requesters_set() {}

  virtual SlowMemory* slow_memory() { return nullptr; }  // with DRAM alone

  // Returns the scheduler of each queue; nullptr for a queue that does not exist or belongs to
  // another simulator.
  virtual std::array<TransactionScheduler*, kMemoryClasses> schedulers() { return {}; }
  virtual std::vector<PolicyCounter> arbiter_counters() { return {}; }
  virtual ChannelStatistics& statistics() = 0;
  virtual Cycle elapsed() const = 0;  // since statistics were reset
  virtual Tick clock_period() const = 0;
  virtual ChannelMeters meters() { return {}; }
  virtual Tick now() const = 0;
  virtual void reset_statistics(Tick now) = 0;

  // Data mode: the contents of the DRAM; otherwise nullptr.
  virtual LineStore* dram_bytes() { return dram_bytes_.get(); }

 protected:
  explicit MemoryChannel(bool store_data)
      : dram_bytes_(store_data ? std::make_unique<LineStore>() : nullptr) {}

  std::unique_ptr<LineStore> dram_bytes_;

  // Data mode: moves the data of a DRAM request whose burst has ended.
  void exchange_dram(const Request& request, Requester& requester) {
    if (request.write) {
      dram_bytes_->write(request.address, requester.write_data(request));
    } else {
      requester.on_read_data(request, dram_bytes_->read(request.address));
    }
  }
};

}  // namespace hmsim

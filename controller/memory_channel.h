// SPDX-License-Identifier: BSD-3-Clause
// What the memory system sees of a channel, whoever models it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/accounts/channel_statistics.h"
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
class NvdimmModule;
class RequestObserver;

// What a channel has done for a class of memory since statistics were reset, and whether a request
// of the class is ready for the data bus: DRAM's from its queue entry on, the NVDIMM's from its
// ack.
struct ClassService {
  Counter served = 0;
  bool ready = false;
};
using ClassServices = std::array<ClassService, kMemoryClasses>;

class MemoryChannel : public Component {
 public:
  // `requesters` is indexed by Request::agent.
  virtual void attach(Kernel& kernel, const std::vector<Requester*>& requesters,
                      const SourceProgress& progress) = 0;

  // Takes a request that lies on this channel; it waits outside while its queue is full.
  virtual void send(const Request& request, Tick now) = 0;
  // The flush whose part on this channel was done is done on all channels that it is for: those
  // behind it may go.
  virtual void pass_flush(Tick /*now*/) {}
  virtual bool would_wait(MemoryClass memory) const = 0;
  virtual bool idle() const = 0;
  // All zero in a channel modelled elsewhere.
  virtual ClassServices services() const { return {}; }
  // Loading: adds the requests that are not done.
  virtual void list_outstanding(std::vector<Requester::Outstanding>& /*requests*/) const {}
  virtual void set_observer(CommandObserver* observer) = 0;
  // Where latency_split() is none, nothing is seen.
  virtual void set_request_observer(RequestObserver* /*observer*/) {}

  // Its NVDIMMs by number.
  virtual std::vector<NvdimmModule*> nvdimms() { return {}; }
  // nullptr where there is none: of all NVDIMMs as one, or of bus, latencies and energy in a
  // channel modelled elsewhere.
  virtual NvdimmModule* nvdimm() { return nullptr; }
  virtual const BusAccounting* accounting() const { return nullptr; }
  virtual LatencySplit* latency_split() { return nullptr; }
  virtual const EnergyMeter* energy() const { return nullptr; }

  // Of each queue; none where there is no such queue, or none of ours.
  virtual std::array<TransactionScheduler*, kMemoryClasses> schedulers() { return {}; }
  virtual std::vector<PolicyCounter> arbiter_counters() { return {}; }
  virtual ChannelStatistics& statistics() = 0;
  virtual Cycle elapsed() const = 0;  // since statistics were reset
  virtual Tick clock_period() const = 0;
  virtual std::int64_t burst_cycles() const = 0;
  virtual std::int64_t command_buses() const { return 1; }
  virtual Tick now() const = 0;
  virtual void reset_statistics(Tick now) = 0;

  // Data mode: what the DRAM holds; else nullptr.
  LineStore* dram_bytes() { return dram_bytes_.get(); }

 protected:
  explicit MemoryChannel(bool store_data)
      : dram_bytes_(store_data ? std::make_unique<LineStore>() : nullptr) {}

  std::unique_ptr<LineStore> dram_bytes_;

  // Data mode: the data of a DRAM request whose burst has ended.
  void exchange_dram(const Request& request, Requester& requester) {
    if (request.write) {
      dram_bytes_->write(request.address, requester.write_data(request));
    } else {
      requester.on_read_data(request, dram_bytes_->read(request.address));
    }
  }
};

}  // namespace hmsim
